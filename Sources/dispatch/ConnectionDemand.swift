/// Decides when a lane opens a connection beside those it has.
///
/// Apple wants few connections that live for hours and takes many short ones for an attack (Sending notification
/// requests to APNs). One carries more than a mail server's mail, so a second is only for a lane whose first one has
/// left it nothing free for a while.
struct ConnectionDemand: Equatable {
    /// The most connections of a lane that take requests; with those that only wait for answers it has twice as many.
    static let most = 4
    /// How long no stream must have been free before another is opened.
    static let patience: Duration = .seconds(1)
    /// How long none is opened beside others after one of them was of no use.
    static let rest: Duration = .seconds(60)

    /// What a lane has.
    struct Stock: Equatable {
        /// All connections, draining ones among them.
        var all: Int
        /// Those that take requests.
        var inUse: Int
        /// Those in use that have been of use, and whose streams the server takes: the limit of a new connection says
        /// nothing yet, and what one refuses another would refuse as well.
        var sound: Int
    }

    /// Since when there has been something to send and no stream for it.
    private var saturatedSince: Duration?
    private var failedAt: Duration?

    /// The lane has sent what it could.
    ///
    /// - Parameters:
    ///   - isSaturated: whether something may be left to send, and no stream is free.
    ///   - stock: what the lane has now.
    ///   - now: time since boot.
    mutating func served(isSaturated: Bool, by stock: Stock, now: Duration) {
        saturatedSince = isSaturated && stock.inUse == stock.sound ? saturatedSince ?? now : nil
    }

    /// A connection was of no use while another one was.
    mutating func failed(now: Duration) { failedAt = now }

    /// Whether a lane that has something to send opens one.
    ///
    /// - Parameters:
    ///   - stock: what it has.
    ///   - isProbing: whether it sends one delivery at a time; then one connection is enough.
    ///   - now: time since boot.
    func opensAnother(beside stock: Stock, isProbing: Bool, now: Duration) -> Bool {
        guard stock.all < 2 * Self.most else { return false }
        if stock.inUse == 0 { return true }
        guard !isProbing, stock.inUse < Self.most, stock.inUse == stock.sound else { return false }
        if let failedAt, now < failedAt + Self.rest { return false }
        return saturatedSince.map { now >= $0 + Self.patience } ?? false
    }
}
