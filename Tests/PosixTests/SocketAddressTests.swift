import Posix
import Testing

@Suite("The address of a server")
struct SocketAddressTests {
    @Test("It is told as it was said", arguments: ["127.0.0.1:143", "[::1]:8080", "/run/dovecot/doveadm"])
    func text(text: String) {
        #expect(SocketAddress(local: text)?.description == text)
    }

    @Test("Bytes that are no address are called unknown")
    func unknown() {
        #expect(SocketAddress(bytes: [2, 0])?.description == "unknown")
    }
}
