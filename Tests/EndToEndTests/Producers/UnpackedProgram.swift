import Foundation
import TestSupport

/// A Debian package that `scripts/mail-programs` has unpacked, because it conflicts with others.
struct UnpackedProgram {
    /// What takes the place of the file system's root in it.
    let folder: String

    /// Finds it below `.build/mail`.
    init(_ name: String) throws {
        folder = URL(fileURLWithPath: ".build/mail/\(name)").path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Site.Trouble(description: "\(folder) is missing; `make mail-programs` unpacks it")
        }
    }

    /// The command that runs another one where the package is installed: in a mount namespace of its own.
    func command(_ command: [String]) -> [String] {
        let mount = #"mount -t overlay -o "lowerdir=$0/usr:/usr" overlay /usr; exec "$@""#
        return ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", mount, folder]
            + command
    }
}
