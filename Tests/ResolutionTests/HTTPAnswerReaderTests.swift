import TestSupport
import Testing

@testable import Resolution

@Suite("Answers over HTTP")
struct HTTPAnswerReaderTests {
    private func read(_ text: String) throws -> HTTPAnswerReader.HTTPAnswer? {
        var reader = HTTPAnswerReader()
        return try reader.receive(Array(text.utf8))
    }

    @Test(
        "A body has the length that its header tells, whole or in chunks, wherever it is cut",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[{}]",
            "HTTP/1.1 200 OK\r\ncontent-length:4\t\r\nConnection: close\r\nContent-Length: 4\r\n\r\n[{}]",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\n[\r\n3;a=b\r\n{}]\r\n0\r\n\r\n",
            "HTTP/1.0 200\r\nTransfer-Encoding: chunked\r\n\r\n4 \r\n[{}]\r\n00\r\nTrailer: x\r\n\r\n",
        ])
    func whole(text: String) throws {
        var reader = HTTPAnswerReader()
        let bytes = Array(text.utf8)
        for byte in bytes.dropLast() { #expect(try reader.receive([byte]) == nil) }
        #expect(try reader.receive([bytes[bytes.count - 1]]) == .init(status: 200, body: Array("[{}]".utf8)))
    }

    @Test(
        "What isn't an answer, or could be read in two ways, is a fault",
        arguments: [
            "HTTP/2 200 OK\r\n\r\n", "200 OK\r\n", "HTTP/1.1 20x OK\r\n", "HTTP/1.1 200 OK\n", "HTTP/1.1\r\n",
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0x4\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "SSH-2.0-OpenSSH\r\n",
        ])
    func malformed(text: String) {
        #expect(throws: HTTPAnswerReader.Fault.malformed) { try read(text) }
    }

    @Test("What is longer than an answer may be is a fault, told or not")
    func oversized() {
        let head = "HTTP/1.1 200 OK\r\n"
        #expect(throws: HTTPAnswerReader.Fault.oversized) { try read(head + "Content-Length: 65537\r\n\r\n") }
        #expect(throws: HTTPAnswerReader.Fault.oversized) {
            try read(head + "Transfer-Encoding: chunked\r\n\r\n10001\r\n")
        }
        #expect(throws: HTTPAnswerReader.Fault.oversized) {
            try read(head + String(repeating: "a: b\r\n", count: 12_000))
        }
    }
}
