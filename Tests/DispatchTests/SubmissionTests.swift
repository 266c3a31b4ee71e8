import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Submission of a delivery that is due")
struct SubmissionTests {
    private func of(_ delivery: DueDelivery) -> Submission {
        .of(delivery, maxAge: .seconds(3600), otherInHand: false, now: Samples.now)
    }

    @Test("It becomes the request that the queue has fixed")
    func request() throws {
        guard case .send(let request) = of(Samples.due()) else {
            Issue.record("not sent")
            return
        }
        #expect(request.id == "5b0e1d6a-934c-5f27-a851-0cd73e62f419")
        #expect(request.collapseID == "INBOX:4271")
        #expect(request.expiration == 1_790_003_700)
        #expect(request.pushType == .alert)
        #expect(request.topic == "com.example.Mail")
    }

    @Test("A Mac is woken in the background")
    func mac() {
        guard case .send(let request) = of(Samples.due(device: Samples.device(platform: "macos"))) else {
            Issue.record("not sent")
            return
        }
        #expect(request.pushType == .background)
    }

    @Test("A device that has gone, fallen silent or lost interest since the fan-out gets no request")
    func changedDevice() {
        #expect(of(Samples.due(device: nil)) == .end(.dropped, reason: "device_gone"))
        #expect(
            of(Samples.due(device: Samples.device(removedAt: Samples.now)))
                == .end(.dropped, reason: "device_gone"))
        #expect(of(Samples.due(pushEnabled: false)) == .end(.dropped, reason: "push_off"))
        #expect(
            of(Samples.due(device: Samples.device(folders: ["Lists"])))
                == .end(.dropped, reason: "folder_off"))
        #expect(
            of(Samples.due(device: Samples.device(suspectSince: Samples.now)))
                == .end(.dropped, reason: "device_suspect"))
    }

    @Test("A wake past its expiration is never sent")
    func expired() {
        #expect(of(Samples.due(expiration: Samples.now)) == .end(.expired, reason: "expired"))
    }

    @Test("Hazard 73: a payload above 4096 bytes fails here, without a request")
    func tooLarge() {
        let folder = String(repeating: "\u{1}", count: 1000)
        let device = Samples.device(folders: ["*"])
        #expect(
            of(Samples.due(notice: Samples.notice(folder: folder), device: device))
                == .end(.failed, reason: "PayloadTooLarge"))
    }

    @Test("Hazard 67: a device row that makes no sense fails its delivery and nothing else")
    func nonsense() {
        #expect(
            of(Samples.due(device: Samples.device(platform: "toaster")))
                == .end(.failed, reason: "device row unusable"))
    }
}
