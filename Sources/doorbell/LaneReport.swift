internal import JSON
internal import Posix

/// What dispatch last noted of its lanes, and of the mail servers that it asks.
struct LaneReport: Equatable {
    /// One lane.
    struct Lane: Equatable {
        let environment: String
        let topic: String
        /// Who is in Apple's place, as HOST:PORT; nil: nobody.
        var standIn: String?
        let connections: Int64
        let inHand: Int64
        /// What keeps it from sending freely; nil when it is open.
        let trouble: Trouble?
    }

    /// Why a lane isn't open.
    struct Trouble: Equatable {
        /// Its kind, by dispatch's word for it.
        let kind: String
        let reason: String
        let since: WallTime?
        /// Nil when it is being tried now.
        let nextTry: WallTime?
    }

    /// A server that is asked for uids.
    struct MailServer: Equatable {
        let service: String
        /// Where it is; nil where dispatch didn't say.
        let address: String?
        /// Whether it has been asked at all.
        let isAsked: Bool
        let connections: Int64
        /// Why it isn't asked for a while; nil when it is.
        let reason: String?
        let since: WallTime?
        /// Why it doesn't let us in, or not to some accounts; nil when it does.
        var refusal: String?
        var refusedSince: WallTime?
    }

    /// Why dispatch goes by an older configuration.
    struct Refusal: Equatable {
        let reason: String
        let since: WallTime
    }

    let lanes: [Lane]
    let mailServers: [MailServer]
    /// Nil where it goes by the one that it was told to read.
    let refusal: Refusal?
    /// How far this machine's clock is ahead of Apple's, in seconds; nil while Apple hasn't said.
    let clockSkew: Int64?
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

    /// Reads the text of the file; nil when it isn't as dispatch writes it.
    init?(_ text: [UInt8]) {
        guard let value = try? JSONParser.parse(text), let at = value["at"]?.integer,
            let lanes = value["lanes"]?.array
        else { return nil }
        self.at = WallTime(milliseconds: at)
        clockSkew = value["clock_skew"]?.integer
        refusal =
            if let reason = value["refused"]?.string, let since = value["refused_since"]?.integer {
                Refusal(reason: reason, since: WallTime(milliseconds: since))
            } else {
                nil
            }
        self.lanes = lanes.map { lane in
            Lane(
                environment: lane["environment"]?.string ?? "unknown",
                topic: lane["topic"]?.string ?? "unknown", standIn: lane["stand_in"]?.string,
                connections: lane["connections"]?.integer ?? 0, inHand: lane["in_hand"]?.integer ?? 0,
                trouble: lane["state"]?.string == "open" ? nil : Trouble(lane))
        }
        mailServers = (value["mail_servers"]?.array ?? []).map { server in
            MailServer(
                service: server["service"]?.string ?? "unknown", address: server["address"]?.string,
                isAsked: server["asked"] != .boolean(false),
                connections: server["connections"]?.integer ?? 0, reason: server["reason"]?.string,
                since: server["since"]?.integer.map { WallTime(milliseconds: $0) },
                refusal: server["refusal"]?.string,
                refusedSince: server["refused_since"]?.integer.map { WallTime(milliseconds: $0) })
        }
    }
}

extension LaneReport.Trouble {
    fileprivate init(_ lane: JSONValue) {
        kind = lane["trouble"]?.string ?? "unknown"
        reason = lane["reason"]?.string ?? "unknown"
        since = lane["since"]?.integer.map { WallTime(milliseconds: $0) }
        nextTry = lane["next_try"]?.integer.map { WallTime(milliseconds: $0) }
    }
}
