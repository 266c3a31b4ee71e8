import Foundation

/// What a server in Apple's place has recorded, one JSON object a line.
struct PeerRecords {
    /// One request.
    struct Request {
        let id: String
        let deviceToken: String
        let at: Int64
        let connection: Int
        let stream: Int
        /// Nil for a request that was reset or ignored.
        let status: Int?
        let reason: String?
        /// When the device was gone, as a 410 says.
        let timestamp: Int64?
        /// Whether the answer was held back, so that later ones overtook it.
        let isDelayed: Bool
        /// Counts the requests in the order of their arrival.
        let number: Int
    }

    private struct Place: Hashable {
        let connection: Int
        let stream: Int
    }

    /// In the order of their arrival.
    private(set) var requests: [Request] = []
    /// The most connections that were open at once.
    private(set) var mostConnections = 0
    /// How many there were.
    private(set) var connections = 0
    /// How many are open at the end.
    private(set) var openConnections = 0
    private var unanswered: Set<Place> = []
    private var closed: Set<Int> = []

    init(_ output: String) throws {
        for line in output.split(separator: "\n") {
            guard
                let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let event = record["event"] as? String, let connection = record["connection"] as? Int
            else { continue }
            take(event, record, connection)
        }
    }

    private mutating func take(_ event: String, _ record: [String: Any], _ connection: Int) {
        switch event {
        case "request": requests.append(Request(record, connection, number: requests.count))
        case "connected":
            connections += 1
            openConnections += 1
            mostConnections = max(mostConnections, openConnections)
        case "unanswered":
            unanswered.insert(Place(connection: connection, stream: record["stream"] as? Int ?? 0))
        case "closed":
            openConnections -= 1
            for stream in record["unanswered"] as? [Int] ?? [] {
                unanswered.insert(Place(connection: connection, stream: stream))
            }
        default: break
        }
    }

    /// Whether an answer has left for the client: whether it got there is another matter.
    func wasAnswered(_ request: Request) -> Bool {
        request.status != nil
            && !unanswered.contains(Place(connection: request.connection, stream: request.stream))
    }
}

extension PeerRecords.Request {
    fileprivate init(_ record: [String: Any], _ connection: Int, number: Int) {
        let headers = record["headers"] as? [[String]] ?? []
        let path = headers.first { $0.first == ":path" }?.last ?? ""
        self.init(
            id: record["apns_id"] as? String ?? "",
            deviceToken: path.split(separator: "/").last.map(String.init) ?? "",
            at: (record["at"] as? NSNumber)?.int64Value ?? 0, connection: connection,
            stream: record["stream"] as? Int ?? 0, status: record["status"] as? Int,
            reason: record["reason"] as? String,
            timestamp: (record["timestamp"] as? NSNumber)?.int64Value,
            isDelayed: (record["delay"] as? NSNumber)?.doubleValue ?? 0 > 0, number: number)
    }
}
