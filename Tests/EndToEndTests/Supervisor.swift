import TestSupport

/// supervisord with the shipped program sections; what it runs ends with it, and it ends with its owner.
final class Supervisor: Sendable {
    /// supervisord itself, which tells on standard output what becomes of its programs.
    let program: RunningProgram
    private let site: Site
    private let configuration: String

    /// Starts both daemons and waits until they have been up long enough to count as started.
    init(_ site: Site) throws {
        self.site = site
        let (directory, environment) = (site.directory, site.environment)
        configuration = try directory.write(
            "supervisord.conf",
            """
            [supervisord]
            nodaemon = true
            user = \(site.village == nil ? site.recipient.name : "root")
            logfile = \(directory.file("supervisord.log"))
            pidfile = \(directory.file("supervisord.pid"))
            environment = \(environment.map { "\($0)=\"\($1)\"" }.joined(separator: ","))

            [unix_http_server]
            file = \(directory.file("supervisord.sock"))

            [supervisorctl]
            serverurl = unix://\(directory.file("supervisord.sock"))

            [rpcinterface:supervisor]
            supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface

            [include]
            files = \(directory.file("usr/share/doorbell/supervisord/*.conf"))
            """)
        program = try site.start(["/usr/bin/supervisord", "--configuration", configuration])
        for daemon in ["spool-drain", "dispatch"] {
            try program.waitForLine(containing: "success: \(daemon) entered RUNNING state")
        }
    }

    /// Stops the daemons and then supervisord.
    func stop() throws {
        try site.run(["/usr/bin/supervisorctl", "--configuration", configuration, "shutdown"])
        try program.waitForEnd()
    }

    deinit { try? stop() }
}
