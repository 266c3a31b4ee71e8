internal import Reporting
internal import Resolution

extension Resolver {
    /// How the servers are, for Prometheus.
    var metrics: [MetricFamily] {
        var paused = MetricFamily.gauge(
            "doorbell_dispatch_resolution_paused",
            "1 while a mail server isn't asked, because it doesn't answer.",
            labels: ["service"])
        var open = MetricFamily.gauge(
            "doorbell_dispatch_resolution_connections",
            "Connections to a mail server that is asked for uids.",
            labels: ["service"])
        for service in services {
            paused[service.rawValue] = pauses[service] == nil ? 0 : 1
            open[service.rawValue] = Double(connections(to: service))
        }
        var refused = MetricFamily.counter(
            "doorbell_dispatch_refused_logins_total",
            "How often a mail server didn't let us in, by whose fault: the secret's or an account's.",
            labels: ["service", "fault"])
        for service in services {
            for fault in Resolver.RefusedLogin.Fault.allCases {
                let login = Resolver.RefusedLogin(service: service, fault: fault)
                refused[service.rawValue, fault.rawValue] = Double(refusedLogins[login] ?? 0)
            }
        }
        return [paused, open, refused]
    }
}
