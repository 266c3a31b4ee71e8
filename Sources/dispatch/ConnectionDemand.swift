/// Decides when a lane opens a connection beside those it has.
///
/// Apple wants few connections that live for hours and takes many short ones for an attack (Sending notification
/// requests to APNs). One carries more than a mail server's mail, so a second is only for a first one that has been
/// full for a while.
enum ConnectionDemand {
    /// The most connections of a lane that take requests.
    static let most = 4
    /// How long every connection must have been full before another is opened.
    static let patience: Duration = .seconds(1)

    /// How a connection that takes requests stands.
    struct Load {
        var isOpening: Bool
        /// Whether it has been of use: the stream limit of a new connection says nothing yet.
        var isProven: Bool
        /// Since when it has had no free stream.
        var saturatedSince: Duration?
    }

    /// Whether a lane that has something to send opens one.
    ///
    /// - Parameters:
    ///   - loads: of the connections that take requests, draining ones left out.
    ///   - isProbing: whether the lane sends one delivery at a time; then one connection is enough.
    ///   - now: time since boot.
    static func opensAnother(beside loads: [Load], isProbing: Bool, now: Duration) -> Bool {
        if loads.isEmpty { return true }
        guard !isProbing, loads.count < most else { return false }
        return loads.allSatisfy { load in
            !load.isOpening && load.isProven && load.saturatedSince.map { now - $0 >= patience } ?? false
        }
    }
}
