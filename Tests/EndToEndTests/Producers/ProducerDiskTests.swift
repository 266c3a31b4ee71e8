import JSON
import TestSupport
import Testing

@Suite("The spool's disk hangs, and not even SIGKILL ends what writes to it", Requires.root)
struct ProducerDiskTests {
    private let site: Site
    private let disk: Disk

    init() throws {
        site = try Site(inVillage: true, disk: (.small(16), "var"))
        disk = try #require(site.disk)
    }

    @Test(
        "The hook is left where it hangs, and the mail is filed once within 5 s", arguments: Producer.ofHook)
    func hook(producer: Producer) throws {
        let program = try producer.start(at: site)
        let mail = Mail()
        try disk.freeze()
        let start = ContinuousClock.now
        try program.deliver(mail)
        let time = ContinuousClock.now - start
        let left = try program.unfinished()
        try disk.thaw()
        #expect(time < .seconds(5))
        #expect(left == "")
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        #expect(try site.waitingEntries().isEmpty)
    }

    @Test(
        "Dovecot's script waits, and with it the mail server, for a mail that is there already, under its uid"
    )
    func lua() throws {
        let lmtp = try LMTP(at: site, including: "dovecot/lua.conf")
        let mail = Mail()
        try disk.freeze()
        let delivery = try lmtp.dovecot.startDelivery(mail.text, to: site.recipient.name)
        let look =
            #"until doveadm fetch -u "$0" uid mailbox INBOX header message-id "$1" | grep -q 'uid: 1'; do sleep 0.1; done"#
        try site.run(["/bin/sh", "-c", look, site.recipient.name, mail.messageID])
        #expect(delivery.output == "")
        #expect(try site.waitingEntries().isEmpty)
        try disk.thaw()
        #expect(try delivery.waitForEnd() == .exited(0))
        #expect(try site.waitingEntries().map { $0.content["uid"]?.integer } == [1])
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
    }
}
