import Foundation
import TestSupport
import Testing

@Suite("Nobody learns what a mail says")
struct PrivacyTests {
    /// A text that somebody but the recipient may see.
    private struct Told {
        let place, text: String
    }

    private let user = "\(PrivateWords.random())@\(PrivateWords.random()).example"
    private let mails = (0..<6).map { _ in Mail() }
    private let site: Site

    init() throws {
        // The caller's entries may speak for a user who exists nowhere else, as a virtual mail server's do.
        site = try Site(
            spool: "trusted_uids = [\(geteuid())]",
            answers: ["a1 = 200, 503, 200", "a2 = 400 BadDeviceToken", "a3 = 410 Unregistered"])
        for token in ["a1", "a2", "a3"] { try site.addDevice(token, user: user) }
    }

    @Test("No word of a mail, and no user's name, is in a request, a log, a metric or an error text")
    func silence() throws {
        let drain = try site.startDrain()
        let dispatch = try site.startDispatch()
        try ring()
        try breakHook()
        try setAside(drain)
        let ofMails = PrivateWords(in: mails.flatMap(\.contents))
        // Whose device it is must be told to the operator, and no more.
        #expect(ofMails.told(by: try site.doorbell("device", "list").output) == [])
        var texts = [
            Told(place: "status", text: try site.doorbell("status").output),
            Told(place: "status --json", text: try site.doorbell("status", "--json").output),
            Told(
                place: "device add",
                text: try site.doorbell("device", "add", "--user", user, input: user).errors),
        ]
        texts += try breakConfiguration(dispatch)
        for daemon in [drain, dispatch] {
            daemon.send(SIGTERM)
            #expect(try daemon.waitForEnd() == .exited(0))
            texts.append(Told(place: "log", text: daemon.errors))
        }
        texts.append(Told(place: "requests", text: site.apple.program.output))
        texts += try files()

        // The queue has to know whose mail it is and its Message-ID, and no more.
        let queue = String(decoding: try Data(contentsOf: URL(fileURLWithPath: site.queue)), as: UTF8.self)
        #expect(queue.contains(user))
        let unknown = PrivateWords(in: mails.flatMap { [$0.sender, $0.recipient, $0.subject, $0.body] })
        #expect(unknown.told(by: queue) == [])

        let all = PrivateWords(in: mails.flatMap(\.contents) + [user])
        for told in texts {
            #expect(!told.text.isEmpty, "\(told.place) shows nothing")
            #expect(all.told(by: told.text) == [], "told by \(told.place): \(told.text)")
        }
    }

    /// Delivers by both recipes, with a known uid and an unknown one, to every kind of answer.
    private func ring() throws {
        try deliver(mails[0], "DOORBELL_UID=4271\n" + site.including("copy"))
        try deliver(mails[1], site.including("copy"))
        try deliver(mails[2], site.including("trap"))
        try site.apple.program.waitForOutput("four requests for the first device") { output in
            output.components(separatedBy: "/3/device/a1a1").count > 4 ? true : nil
        }
        let statuses = Set(site.apple.requests.map(\.status))
        #expect(statuses == [200, 503, 400, 410])
    }

    private func deliver(_ mail: Mail, _ rc: String) throws {
        #expect(try site.deliver(mail, rc: "LOGNAME=\"\(user)\"\n" + rc).ending == .exited(0))
    }

    /// Rings into a spool that isn't there, and with arguments that are wrong.
    private func breakHook() throws {
        try deliver(mails[3], ":0cw\n| \(site.hook) --spool \"$HOME/nowhere\" \"$LOGNAME\"\n")
        try deliver(mails[4], ":0cw\n| \(site.hook) --uid \"$LOGNAME\" \"$LOGNAME\"\n")
    }

    /// Writes an entry that can't be used.
    private func setAside(_ drain: RunningProgram) throws {
        let (folder, id) = (mails[5].subject, mails[5].messageID)
        let entry = #"{"v":9,"user":"\#(user)","folder":"\#(folder)","uid":0,"msg_id":"<\#(id)>","at":0}"#
        try "\(entry)\n".write(
            toFile: site.spoolDirectory + "/new/1", atomically: false, encoding: .utf8)
        try drain.waitForLine(containing: "1 entry moved")
    }

    /// Leaves a configuration that no program takes, and gives what they say.
    private func breakConfiguration(_ dispatch: RunningProgram) throws -> [Told] {
        try site.directory.write("etc/doorbell/doorbell.toml", "[spool]\ntrusted_uids = [\"\(user)\"]\n")
        dispatch.send(SIGHUP)
        try dispatch.waitForLine(containing: "the old one stays")
        return try ["bin/doorbell", "sbin/dispatch", "sbin/spool-drain"].map { program in
            let command = [site.directory.file("usr/\(program)"), "--config", site.configuration]
            let refused = try site.run(command + (program == "bin/doorbell" ? ["status"] : ["--once"]))
            #expect(refused.ending == .exited(78))
            return Told(place: program, text: refused.errors)
        }
    }

    /// What stands in files, of procmail's log the lines that the hook wrote.
    private func files() throws -> [Told] {
        let paths = [
            "var/lib/doorbell-metrics/doorbell-drain.prom", "var/lib/doorbell-metrics/doorbell-dispatch.prom",
            "var/lib/doorbell/dispatch.status", "var/spool/doorbell/corrupt/reasons.log",
        ]
        let log = try String(contentsOfFile: site.recipient.home + "/procmail.log", encoding: .utf8)
        let lines = log.split(separator: "\n").filter { $0.hasPrefix("spool-enqueue: ") }
        #expect(lines.count == 2)
        return try paths.map {
            Told(place: $0, text: try String(contentsOfFile: site.directory.file($0), encoding: .utf8))
        } + [Told(place: "procmail's log", text: lines.joined(separator: "\n"))]
    }
}
