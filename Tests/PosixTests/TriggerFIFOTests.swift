import Foundation
import Posix
import TestSupport
import Testing

struct TriggerFIFOTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("dispatch.wake")
    }

    private func isPulled(_ trigger: borrowing TriggerFIFO) throws -> Bool {
        var poller = Poller()
        let place = poller.add(trigger.rawValue)
        try poller.wait(timeout: .zero)
        return poller.isReadable(place)
    }

    @Test("However often it was pulled, it is heard once and then silent")
    func pulled() throws {
        let trigger = try TriggerFIFO(path: path, mode: 0o660)
        #expect(try !isPulled(trigger))
        for _ in 0..<1000 { TriggerFIFO.pull(path: path) }
        #expect(try isPulled(trigger))
        trigger.empty()
        #expect(try !isPulled(trigger))
    }

    @Test("A pull that came before the reader's look for work is still heard after it")
    func kept() throws {
        let trigger = try TriggerFIFO(path: path, mode: 0o660)
        trigger.empty()
        TriggerFIFO.pull(path: path)
        #expect(try isPulled(trigger))
    }

    @Test(
        "Pulling without a reader, or without a pipe, or with more than the pipe holds, does nothing and returns"
    )
    func unheard() throws {
        TriggerFIFO.pull(path: path)
        do { _ = try TriggerFIFO(path: path, mode: 0o660) }
        TriggerFIFO.pull(path: path)
        let trigger = try TriggerFIFO(path: path, mode: 0o660)
        for _ in 0..<70_000 { TriggerFIFO.pull(path: path) }
        #expect(try isPulled(trigger))
    }

    @Test("The pipe has its mode whatever the umask, and whatever a program left that was stopped making it")
    func mode() throws {
        for _ in 0..<2 {
            _ = try TriggerFIFO(path: path, mode: 0o622)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o622)
            chmod(path, 0o600)
        }
    }

    @Test("A file in the pipe's place is refused by its path, and a pull writes nothing into it")
    func file() throws {
        try directory.write("dispatch.wake", "text")
        let error = #expect(throws: SystemCallError.self) { _ = try TriggerFIFO(path: path, mode: 0o660) }
        #expect(error?.description == "mkfifo \(path): File exists")
        TriggerFIFO.pull(path: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    }
}
