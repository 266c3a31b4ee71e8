internal import Posix
internal import Queue

/// A user's newest wakes, newest first: one line for each device that each was for.
struct WakeTable {
    /// The table with its heading; a sentence when there is no wake.
    let text: String

    /// - Parameter hindrance: what keeps everything of a device's lane waiting, if anything does.
    init(_ wakes: [TracedWake], hindrance: (Device) -> String?, now: WallTime) {
        guard !wakes.isEmpty else {
            text = "no wake of this user: none came, or what came is forgotten (retention.push)\n"
            return
        }
        let heading = ["MAIL ARRIVED", "FOLDER", "UID", "DEVICE", "REACHED APPLE", "APNS-ID"]
        text = aligned(
            [heading]
                + wakes.flatMap { wake in
                    let mail = [
                        wake.notice.at.text, wake.notice.folder,
                        wake.notice.uid > 0 ? "\(wake.notice.uid)" : "unknown",
                    ]
                    guard !wake.deliveries.isEmpty else {
                        return [
                            mail + [
                                "none", "not \(wake.end == nil ? "yet" : "sent: \(wake.reason ?? "")")",
                                "none",
                            ]
                        ]
                    }
                    return wake.deliveries.map { trace in
                        mail + [
                            "\(trace.device.id)",
                            TraceReport.answer(trace, hindrance: hindrance(trace.device), now: now),
                            trace.apnsID,
                        ]
                    }
                })
    }
}
