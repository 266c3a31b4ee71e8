internal import Glibc
public import Posix

extension Configuration.Queue {
    /// Checks that nobody but the services gets at the queue: not to its directory, nor, should that be opened once,
    /// to what stands there, nor past it by a directory above.
    ///
    /// Opens nothing.
    public func checkPlace() throws(UnsafePlace) {
        guard access(directory, F_OK) == 0 || errno != ENOENT else {
            throw .missing(directory, cure: "install -d -m 2770 -o doorbell -g doorbell \(directory)")
        }
        try UnsafePlace.checkWay(to: directory)
        try UnsafePlace.check(directory, deniesOthers: S_IRWXO, what: "lets other users in")
        for file in [
            path, "\(path)-wal", "\(path)-shm", drainLock, dispatchLock, trigger, laneStatus, providerToken,
        ] {
            try UnsafePlace.check(file, deniesOthers: S_IWOTH, what: "can be written by every user")
        }
    }
}
