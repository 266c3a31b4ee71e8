internal import Posix
internal import SpoolDirectories

/// How many entries lie in the spool.
struct SpoolContents: Equatable {
    /// Those that spool-drain hasn't taken yet.
    var waiting = 0
    /// Those that could not be used.
    var setAside = 0
}

extension SpoolContents {
    /// Counts names, as the spool's owner where root asks.
    init(spool path: String) throws(SystemCallError) {
        self = try ProcessIdentity.asOwner(ofDirectory: "\(path)/new") { () throws(SystemCallError) in
            var contents = SpoolContents()
            try Directory(path: "\(path)/new").forEachName {
                if !SpoolName(bytes: $0).isTemporary { contents.waiting += 1 }
            }
            try Directory(path: "\(path)/corrupt").forEachName {
                if $0 != ReasonsLog.name.bytes { contents.setAside += 1 }
            }
            return contents
        }
    }
}
