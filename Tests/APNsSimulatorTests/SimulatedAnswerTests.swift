import HTTP2
import Posix
import Testing

@testable import APNsSimulatorCommand

@Suite("An answer as it leaves")
struct SimulatedAnswerTests {
    private func answer(_ step: AnswerStep) -> SimulatedAnswer {
        SimulatedAnswer(step, apnsID: "id", now: WallTime(milliseconds: 1_790_000_000_123))
    }

    @Test("It has Apple's form: nothing with 200, else the reason and, with 410, a timestamp in milliseconds")
    func form() {
        #expect(answer(AnswerStep()).body.isEmpty)
        let gone = answer(AnswerStep(status: 410, reason: "Unregistered", timestamp: .fromNow(.seconds(-1))))
        #expect(gone.body == Array(#"{"reason":"Unregistered","timestamp":1789999999123}"#.utf8))
        let goneNow = answer(AnswerStep(status: 410, reason: "Unregistered"))
        #expect(goneNow.body == Array(#"{"reason":"Unregistered","timestamp":1790000000123}"#.utf8))
        let busy = answer(AnswerStep(status: 429, reason: "TooManyRequests"))
        #expect(busy.body == Array(#"{"reason":"TooManyRequests"}"#.utf8))
    }

    @Test("It carries status, apns-id and the date, in that order")
    func fields() {
        #expect(
            answer(AnswerStep()).headers == [
                HeaderField(":status", "200"), HeaderField("apns-id", "id", indexing: .never),
                HeaderField("date", "Mon, 21 Sep 2026 14:13:20 GMT"),
            ])
    }

    @Test("Its date can be another than the present")
    func otherDate() {
        let late = answer(AnswerStep(date: .fromNow(.seconds(3_600))))
        #expect(late.headers["date"] == "Mon, 21 Sep 2026 15:13:20 GMT")
        let old = answer(AnswerStep(date: .at(WallTime(milliseconds: 784_111_777_000))))
        #expect(old.headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test("The next try is told in seconds or by a date")
    func retryAfter() {
        #expect(answer(AnswerStep(retryAfter: .seconds(9))).headers["retry-after"] == "9")
        let dated = answer(AnswerStep(retryAfter: .at(.fromNow(.seconds(60)))))
        #expect(dated.headers["retry-after"] == "Mon, 21 Sep 2026 14:14:20 GMT")
    }

    @Test("The body can be missing, a page, or one byte to a frame")
    func otherBodies() {
        func answer(_ body: AnswerStep.Body) -> SimulatedAnswer {
            self.answer(AnswerStep(status: 503, reason: "Shutdown", body: body))
        }
        #expect(answer(.none).body.isEmpty)
        #expect(answer(.html).body.starts(with: Array("<html>".utf8)))
        #expect(answer(.split).body == answer(.json).body)
        #expect(answer(.split).frameBytes == 1)
        #expect(answer(.json).frameBytes == .max)
    }

    @Test(
        "A date has the one form that HTTP still writes",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (253_402_300_799_999, "Fri, 31 Dec 9999 23:59:59 GMT"), (253_402_300_800_000, nil),
        ] as [(Int64, String?)])
    func dates(milliseconds: Int64, text: String?) {
        #expect(HTTPDate.text(WallTime(milliseconds: milliseconds)) == text)
    }
}
