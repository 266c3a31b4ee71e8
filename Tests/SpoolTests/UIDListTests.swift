import Spool
import Testing

@Suite("The first line of a dovecot-uidlist")
struct UIDListTests {
    @Test("The next UID is field N, wherever it stands")
    func nextUID() {
        let rest = "1 :1275660208.M1P2.host\n2 :1275660209.M1P2.host\n"
        #expect(UIDList.nextUID(Array("3 V1275660208 N25022 G3085f01b7f11\n\(rest)".utf8)) == 25022)
        #expect(UIDList.nextUID(Array("3 N4294967295 V1\n".utf8)) == .max)
    }

    @Test(
        "Anything else gives no hint",
        arguments: [
            "", "\n", "3 V1 N25022 G1", "3 V1 G1\nN5\n", "1 1275660208 25022\n", "4 V1 N2\n", "3 V1 N\n",
            "3 V1 N0\n", "3 V1 N-5\n", "3 V1 N+5\n", "3 V1 N4294967296\n", "3 V1 N99999999999999999999\n",
            "3 V1 N5x\n", "N5 3\n", "33 N5\n",
        ])
    func nothing(text: String) {
        #expect(UIDList.nextUID(Array(text.utf8)) == nil)
    }
}
