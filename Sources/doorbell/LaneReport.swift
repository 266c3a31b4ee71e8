internal import JSON
internal import Posix

/// What dispatch last noted of its lanes.
struct LaneReport: Equatable {
    /// One lane.
    struct Lane: Equatable {
        let environment: String
        let topic: String
        /// Why it is paused; nil when it is open.
        let pausedBecause: String?
        let since: WallTime?
    }

    let lanes: [Lane]
    /// When dispatch noted it.
    let at: WallTime

    private static let maximumBytes = 1 << 20

    /// Reads dispatch's file; nil where there is none, or none that can be understood.
    static func read(_ path: String) throws(SystemCallError) -> LaneReport? {
        do throws(SystemCallError) {
            return LaneReport(try ReplacedFile.read(path, upTo: maximumBytes))
        } catch  where error.errno == .notFound {
            return nil
        }
    }

    init(lanes: [Lane], at: WallTime) {
        self.lanes = lanes
        self.at = at
    }

    /// Reads the text of the file; nil when it isn't as dispatch writes it.
    init?(_ text: [UInt8]) {
        guard let value = try? JSONParser.parse(text), let at = value["at"]?.integer,
            let lanes = value["lanes"]?.array
        else { return nil }
        self.at = WallTime(milliseconds: at)
        self.lanes = lanes.map { lane in
            let isPaused = lane["state"]?.string == "paused"
            return Lane(
                environment: lane["environment"]?.string ?? "unknown",
                topic: lane["topic"]?.string ?? "unknown",
                pausedBecause: isPaused ? lane["reason"]?.string ?? "unknown" : nil,
                since: lane["since"]?.integer.map { WallTime(milliseconds: $0) })
        }
    }
}
