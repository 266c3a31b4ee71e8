import Foundation
import Posix
import TestSupport
import Testing

struct UnsafePlaceTests {
    private let directory: TemporaryDirectory
    private let outer, inner: String

    init() throws {
        directory = try TemporaryDirectory()
        outer = directory.file("outer")
        inner = directory.file("outer/inner")
        for path in [outer, inner] { #expect(mkdir(path, 0o700) == 0) }
    }

    private func fault(_ check: () throws(UnsafePlace) -> Void) -> String? {
        do throws(UnsafePlace) {
            try check()
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "A directory above in which every user can replace the next one is a fault, a sticky one and a group's aren't",
        arguments: [(0o777, true), (0o702, true), (0o1777, false), (0o770, false), (0o755, false)])
    func above(mode: mode_t, isFault: Bool) {
        chmod(outer, mode)
        let fault = fault { () throws(UnsafePlace) in try UnsafePlace.checkWay(to: inner) }
        #expect(
            fault
                == (isFault
                    ? "\(outer) lets every user replace what is in it; as root: chmod o-w \(outer)" : nil))
        #expect(system("chmod o-w \(outer)") == 0)
        #expect(self.fault { () throws(UnsafePlace) in try UnsafePlace.checkWay(to: inner) } == nil)
    }

    @Test("The way that counts is the one that symbolic links lead, and what isn't there has none")
    func links() {
        let link = directory.file("link")
        #expect(symlink(inner, link) == 0)
        chmod(outer, 0o777)
        #expect(fault { () throws(UnsafePlace) in try UnsafePlace.checkWay(to: link) } != nil)
        #expect(fault { () throws(UnsafePlace) in try UnsafePlace.checkWay(to: "\(link)/missing") } == nil)
        #expect(fault { () throws(UnsafePlace) in try UnsafePlace.checkWay(to: outer) } == nil)
    }

    @Test(
        "Rights of other users are a fault where they are denied, and the command takes exactly those",
        arguments: [
            (0o770, 7, nil), (0o771, 7, "rwx"), (0o774, 7, "rwx"), (0o772, 2, "w"), (0o775, 2, nil),
        ] as [(mode_t, UInt32, String?)])
    func others(mode: mode_t, denied: UInt32, taken: String?) {
        chmod(inner, mode)
        let fault = fault { () throws(UnsafePlace) in
            try UnsafePlace.check(inner, deniesOthers: denied, what: "is open")
        }
        #expect(fault == taken.map { "\(inner) is open; as root: chmod o-\($0) \(inner)" })
    }
}
