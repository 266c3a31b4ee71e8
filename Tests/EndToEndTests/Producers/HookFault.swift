import Foundation

/// What a hook may do instead of its work.
enum HookFault: String, CaseIterable {
    case isMissing = ""
    case exits75 = "exit 75"
    case exits1 = "cat >/dev/null; exit 1"
    case crashes = "kill -SEGV $$"
    /// Closes what it has inherited, as the hook does: by one of these Foundation knows whether procmail has ended.
    case hangs = #"exec perl -MPOSIX -e '$SIG{TERM} = "IGNORE"; POSIX::close($_) for 3..255; sleep 20'"#
    case isStopped = "kill -STOP $$"

    /// Puts a program that does so into the hook's place.
    func replaceHook(of site: Site) throws {
        try? FileManager.default.removeItem(atPath: site.hook)
        guard self != .isMissing else { return }
        try "#!/bin/sh\n\(rawValue)\n".write(toFile: site.hook, atomically: false, encoding: .utf8)
        chmod(site.hook, 0o755)
    }
}
