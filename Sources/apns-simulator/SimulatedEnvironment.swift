/// Apple's two services, of which one simulator stands for both.
enum SimulatedEnvironment: String, CaseIterable, Sendable {
    case production, sandbox

    /// The host that serves it.
    var hostName: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The one that this isn't.
    var other: SimulatedEnvironment { self == .production ? .sandbox : .production }
}
