import Posix
import TestSupport
import Testing

@testable import SpoolDirectories

struct SpoolFaultTests {
    @Test(
        "new/ is safe when nobody can list it or remove another's entry",
        arguments: [
            (1000, 0o3733, nil), (1000, 0o700, nil), (1000, 0o3773, nil),
            (1000, 0o3737, "lets everybody list it"), (1000, 0o777, "lets everybody list it"),
            (1000, 0o733, "lets users remove each other's entries"),
            (1000, 0o2770, "lets users remove each other's entries"),
            (1001, 0o3733, "belongs to uid 1001, not to uid 1000"),
        ] as [(UInt32, UInt32, String?)])
    func new(owner: UInt32, mode: UInt32, fault: String?) {
        #expect(SpoolFault.Place.new.fault(owner: owner, mode: mode, user: 1000) == fault)
    }

    @Test(
        "corrupt/ is safe when only the drain can enter it",
        arguments: [
            (1000, 0o700, nil), (1000, 0o2700, nil), (1000, 0o710, "lets other users in"),
            (0, 0o700, "belongs to uid 0, not to uid 1000"),
        ] as [(UInt32, UInt32, String?)])
    func corrupt(owner: UInt32, mode: UInt32, fault: String?) {
        #expect(SpoolFault.Place.corrupt.fault(owner: owner, mode: mode, user: 1000) == fault)
    }

    @Test("Root is no exception: it would leave files behind that the service can't use")
    func root() {
        #expect(
            SpoolFault.Place.corrupt.fault(owner: 1000, mode: 0o700, user: 0)
                == "belongs to uid 1000, not to uid 0")
    }

    @Test("A missing directory's line ends with the command that makes it")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect {
            _ = try SpoolDirectory(path: directory.path)
        } throws: {
            let start = "\(directory.path)/new is missing; as root: install -d -m 3733 -o "
            return "\($0)".hasPrefix(start) && "\($0)".hasSuffix(" \(directory.path)/new")
        }
    }
}
