import Foundation
import TestSupport
import Testing

/// A file system that only the programs of its mount namespace see, and whose power can be cut.
///
/// It lies in memory, by a loop device. A keeper holds the namespace. When it is asked to end, or the tests have
/// ended, it kills what is left in there and takes the file system away; whatever happens, all of it goes with the
/// namespace's last process.
final class Disk: Sendable {
    /// What is made.
    enum Format: Sendable, CustomTestStringConvertible {
        /// With room for a power cut's work.
        case ext4, xfs
        /// An ext4 of this many megabytes, none of which is kept for root.
        case small(Int)

        var testDescription: String {
            switch self {
            case .ext4: "ext4"
            case .xfs: "xfs"
            case .small(let megabytes): "\(megabytes) MB"
            }
        }

        /// ext4 by itself would keep names back for five seconds.
        fileprivate var options: String {
            if case .xfs = self { "loop" } else { "loop,commit=1" }
        }

        /// Makes it in the file `$0`; xfs doesn't make small ones.
        fileprivate var script: String {
            switch self {
            case .ext4: "truncate -s 200M \"$0\"; mkfs.ext4 -q -F \"$0\""
            case .xfs: "truncate -s 400M \"$0\"; mkfs.xfs -q \"$0\""
            case .small(let megabytes): "truncate -s \(megabytes)M \"$0\"; mkfs.ext4 -q -F -m 0 \"$0\""
            }
        }
    }

    /// Kept, because a mount point that is removed takes the mount along.
    private let directory: TemporaryDirectory
    private let image: String
    private let mountPoint: String
    private let options: String
    private let village: Village
    private let running: RunningProgram

    /// Ends all programs of the namespace but the keeper and the shell that does it, and unmounts `$1`.
    private static let ending = """
        fsfreeze -u "$1" 2>/dev/null || :
        for process in /proc/[0-9]*; do
            case ${process#/proc/} in $$ | $keeper) continue ;; esac
            [ ! $process/ns/mnt -ef /proc/$$/ns/mnt ] || kill -9 ${process#/proc/} || :
        done 2>/dev/null
        while grep -q " $1 " /proc/self/mounts; do umount "$1" 2>/dev/null || sleep 0.01; done

        """

    /// Makes one in a directory and mounts it.
    init(_ format: Format, as mountPoint: String, in directory: TemporaryDirectory, _ village: Village) throws
    {
        self.directory = directory
        self.mountPoint = mountPoint
        self.village = village
        options = format.options
        let memory = directory.file("memory")
        image = memory + "/image"
        for folder in [memory, mountPoint] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let keeping = """
            mount -t tmpfs none "${0%/*}"
            \(format.script)
            mount -o "$2" "$0" "$1"
            echo mounted
            trap 'over=1' TERM
            while [ -z "$over" ] && [ -d /proc/$PPID ]; do sleep 1 & wait || :; done
            keeper=$$
            """
        let command = village.command(
            ["/bin/sh", "-ec", keeping + "\n" + Self.ending, image, mountPoint, options], as: nil)
        running = try RunningProgram(command[0], Array(command.dropFirst()))
        try running.waitForLine(containing: "mounted")
    }

    deinit {
        running.send(SIGTERM)
        _ = try? running.waitForEnd()
    }

    /// The process beside which programs see the file system.
    var keeper: Int32 { running.processIdentifier }

    /// Where a file of the programs is for the tests.
    func path(_ path: String) -> String { "/proc/\(keeper)/root\(path)" }

    /// Tells the time, and the file system to drop what it hasn't written, without flushing its log
    /// (EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN).
    private static let shuttingDown = """
        import fcntl, os, sys, time
        root = os.open(sys.argv[1], os.O_RDONLY)
        print(time.time())
        fcntl.ioctl(root, 0x8004587D, (2).to_bytes(4, "little"))
        """

    /// What a file system runs out of.
    enum Room { case blocks, inodes }

    /// Leaves no room, until `empty()`; called again it takes what has been given back since.
    func fill(_ room: Room) throws {
        // It ends with "No space left on device".
        let filling =
            switch room {
            case .blocks: #"cat /dev/zero >>"$1/filler/0""#
            case .inodes: #"seq 100000 | (cd "$1/filler" && xargs touch)"#
            }
        try run(#"mkdir -p "$1/filler"; "# + filling + " 2>/dev/null || :", [])
    }

    /// Gives the room back.
    func empty() throws { try run(#"rm -r "$1/filler""#, []) }

    /// Lets every write to it wait, in a sleep that no signal ends, until `thaw()` or its end.
    func freeze() throws { try run(#"fsfreeze -f "$1""#, []) }

    /// Lets the writes go on.
    func thaw() throws { try run(#"fsfreeze -u "$1""#, []) }

    /// Takes away the power and gives it back: what isn't on the disk by then never will be, and every program ends.
    ///
    /// Gives the moment. What a program says later doesn't count, because without power it couldn't: here a flush that
    /// was under way may report a success that it hasn't had.
    func cutPower() throws -> Date {
        let cut = """
            keeper=$3
            python3 -ISc "$4" "$1"
            \(Self.ending)
            until mount -o "$2" "$0" "$1" 2>/dev/null; do sleep 0.01; done  # The loop device may linger.
            """
        let output = try run(cut, [options, "\(keeper)", Self.shuttingDown])
        return Date(timeIntervalSince1970: Double(output.dropLast()) ?? 0)
    }

    /// Has root's shell do something where the file system is; `$0` is its file, `$1` where it is mounted.
    @discardableResult
    private func run(_ script: String, _ arguments: [String]) throws -> String {
        let shell = ["/bin/sh", "-ec", script, image, mountPoint] + arguments
        let command = village.command(shell, as: nil, beside: keeper)
        let result = try RunningProgram.run(command[0], Array(command.dropFirst()))
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
        return result.output
    }
}
