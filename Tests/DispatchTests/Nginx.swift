import Foundation
import Posix
import TestSupport

/// nginx in Apple's place: TLS, HTTP/2, 200 for tokens that begin with a1 and 410 for b2.
struct Nginx {
    let program: RunningProgram
    /// Leads dispatch to it.
    let environment: [String: String]

    /// Starts it on a free port with a certificate for this name.
    init(in directory: TemporaryDirectory, hostName: String) throws {
        let certificates = try Certificates(for: hostName, in: directory)
        let (program, port) = try Self.start(certificates, in: directory)
        self.program = program
        environment = certificates.environment(port: port)
    }

    /// nginx can't be told to take any free port, so another program may be faster: then the next one is tried.
    private static func start(_ certificates: Certificates, in directory: TemporaryDirectory) throws -> (
        RunningProgram, Int
    ) {
        for _ in 0..<5 {
            let port = try freePort()
            try directory.write("nginx.conf", configuration(certificates, in: directory, port: port))
            let program = try RunningProgram(
                "/usr/sbin/nginx", ["-p", directory.path, "-c", directory.file("nginx.conf")])
            let listens = try program.waitForLine("nginx's start") { line in
                if line.contains("start worker process") { return true }
                return line.contains("Address already in use") ? false : nil
            }
            if listens { return (program, port) }
            program.send(SIGKILL)
        }
        throw CocoaError(.featureUnsupported)
    }

    private static func configuration(
        _ certificates: Certificates, in directory: TemporaryDirectory, port: Int
    ) -> String {
        """
        daemon off;
        pid \(directory.file("nginx.pid"));
        error_log stderr notice;
        events { }
        http {
            access_log off;
            client_body_temp_path \(directory.file("nginx-body"));
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(certificates.certificate);
                ssl_certificate_key \(certificates.key);
                location /3/device/a1 { return 200; }
                location /3/device/b2 {
                    default_type application/json;
                    return 410 '{"reason":"Unregistered","timestamp":\(WallTime.now.milliseconds + 60_000)}';
                }
            }
        }
        """
    }
}
