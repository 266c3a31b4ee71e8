internal import Glibc
internal import Inotify
internal import Posix
internal import SpoolDirectories

/// Waits for entries: hears of them where the system lets it, and else only lets time pass.
struct SpoolListener: ~Copyable {
    private let path: String
    private var watch: DirectoryWatch?
    private var watched: FileIdentity?

    /// Listens to nothing yet.
    init(path: String) { self.path = path }

    /// Starts to watch the directory that stands at the path now.
    mutating func listen() throws(SystemCallError) {
        watch = nil
        watched = FileIdentity(try Directory(path: path).status())
        watch = try DirectoryWatch(path: path)
    }

    /// Whether it is this directory that is being watched.
    func hears(_ directory: borrowing Directory) -> Bool {
        guard let status = try? directory.status() else { return false }
        return watched == FileIdentity(status)
    }

    /// Waits; without a watch the time-out or a signal ends it.
    ///
    /// Nothing may hold the directory open meanwhile: a removed one is told only when its last user lets it go.
    ///
    /// - Parameter lastScan: when the last scan began, by the time of files.
    func next(timeoutSeconds: Int, lastScan: WallTime) throws(SystemCallError) -> DrainEvent {
        guard watch != nil else {
            return poll(nil, 0, CInt(clamping: timeoutSeconds * 1000)) == 0 ? .timedOut : .interrupted
        }
        switch try watch?.next(timeoutSeconds: timeoutSeconds) {
        case .changed(let name):
            return .appeared(SpoolName(bytes: name), changed: changed(name, lastScan))
        case .interrupted: return .interrupted
        case .overflowed: return .overflowed
        case .gone: return .gone
        case .timedOut, nil: return .timedOut
        }
    }

    /// When a file has changed, for comparison with the last scan's start.
    ///
    /// A clock that stands before that start has been set back: then no time tells old from new, and all is news.
    static func told(_ changed: WallTime, now: WallTime, lastScan: WallTime) -> WallTime {
        now < lastScan ? WallTime(milliseconds: .max) : changed
    }

    /// When the named file last changed, nil when it is gone; what can't be told counts as news, because a scan too
    /// many costs less than one too few.
    private func changed(_ name: [UInt8], _ lastScan: WallTime) -> WallTime? {
        do throws(SystemCallError) {
            let changed = WallTime(lastChangeOf: try Directory(path: path).status(of: name))
            return Self.told(changed, now: .ofFiles, lastScan: lastScan)
        } catch {
            return error.errno == .notFound ? nil : WallTime(milliseconds: .max)
        }
    }
}
