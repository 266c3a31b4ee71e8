internal import APNs
internal import IMAP
internal import Posix
internal import Queue

/// Decides which devices a notice rings, and what stays fixed over all tries of each delivery.
struct FanOut: Sendable {
    /// How long a wake is worth sending, from the moment the mail arrived.
    var expiration: Duration
    /// HMAC-SHA256 under the installation's secret.
    let keyedHash: @Sendable ([UInt8]) -> [UInt8]
    /// SHA-1, for the ids.
    let sha1: @Sendable ([UInt8]) -> [UInt8]

    /// Chooses among the account's devices.
    ///
    /// - Parameters:
    ///   - notice: what has happened.
    ///   - recipients: whose business it is.
    ///   - allowance: how many wakes of one folder a device gets at once.
    ///   - uidIsExact: whether the notice's uid is more than a guess.
    ///   - now: the present.
    ///   - boot: the same moment in time since boot.
    func decide(
        _ notice: Notice, _ recipients: Recipients, _ allowance: inout WakeAllowance, uidIsExact: Bool = true,
        now: WallTime, boot: Duration
    ) -> FanOutDecision {
        guard !recipients.devices.isEmpty else { return .drop(.noDevice) }
        guard recipients.pushEnabled else { return .drop(.pushOff) }
        let interested = recipients.devices.filter { $0.device.wants(notice) }
        guard !interested.isEmpty else { return .drop(.folderOff) }
        let reachable = interested.filter(\.device.isReachable)
        guard !reachable.isEmpty else { return .drop(.unreachable) }
        let enabled = reachable.filter { $0.device.disabledAt == nil }
        guard !enabled.isEmpty else { return .drop(.deviceDisabled) }
        // Apple didn't know these tokens when last asked: asking more than daily would only slow the others down.
        let usable = enabled.filter { $0.device.suspectSince == nil || $0.device.isProbeDue(now: now) }
        guard !usable.isEmpty else { return .drop(.deviceSuspect) }
        return .deliver(
            usable.map { recipient in
                var delivery = delivery(of: notice, to: recipient, recipients, uidIsExact)
                if case .held(let until) = allowance.take(
                    device: recipient.device.id, folder: notice.folder, now: boot)
                {
                    delivery.notBefore = now.advanced(by: until - boot)
                    delivery.replacesWaiting = true
                }
                return delivery
            })
    }

    /// A token that can't be one makes a delivery too, which then fails with that reason.
    private func delivery(
        of notice: Notice, to recipient: Recipient, _ recipients: Recipients, _ uidIsExact: Bool
    ) -> NewDelivery {
        let device = recipient.device
        // A guess may name another mail, whose wake this one must not replace.
        var message = MessageReference(notice, device)
        if !uidIsExact { message.uid = 0 }
        let subject = CollapseID.Subject(
            account: notice.user, message: message, messageID: notice.messageID,
            spoolName: notice.spoolName, firstUIDValidity: recipients.firstUIDValidity,
            tokenServesOneAccount: recipient.tokenServesOneAccount)
        return NewDelivery(
            device: device.id,
            apnsID: NotificationID.text(
                ownerUID: notice.ownerUID, spoolName: notice.spoolName, topic: device.topic,
                token: device.token,
                sha1: sha1),
            collapseID: CollapseID.text(for: subject, keyedHash: keyedHash),
            expiration: notice.at.advanced(by: expiration))
    }
}

extension Device {
    /// Whether the device's owner wants to hear of this notice's folder: none listed is the inbox only, `*` is all.
    ///
    /// Devices name folders as the server does. A notice without a uid may not, because the server wasn't asked: then
    /// whatever the server may call its folder counts.
    func wants(_ notice: Notice) -> Bool {
        let enabled = registration.enabledFolders
        if enabled.isEmpty { return isInbox(notice.folder) }
        if enabled.contains("*") || isInbox(notice.folder) && enabled.contains(where: isInbox) { return true }
        let names = notice.uid == 0 ? FolderNames.usual(for: notice.folder) : [notice.folder]
        return enabled.contains { names.contains($0) }
    }

    /// How long a device whose token is doubted is left alone between two tries.
    private static let probeInterval: Duration = .seconds(86_400)

    /// Whether a device whose token is doubted may be tried again; a failure in the future was a clock's mistake.
    func isProbeDue(now: WallTime) -> Bool {
        guard let lastFailedAt = lastFailedAt ?? suspectSince else { return true }
        return !(.zero..<Self.probeInterval).contains(now.since(lastFailedAt))
    }

    /// Whether this program knows the way to it: a queue may have been filled by a later one.
    fileprivate var isReachable: Bool {
        registration.channel == "apns" && Environment(rawValue: registration.environment) != nil
            && Platform(rawValue: registration.platform) != nil
    }

    /// INBOX is the one name without case (RFC 9051 section 5.1).
    private func isInbox(_ folder: String) -> Bool {
        folder.utf8.count == 5 && folder.uppercased() == "INBOX"
    }
}

extension MessageReference {
    /// What a device is told about a notice: its whole view of the mail.
    init(_ notice: Notice, _ device: Device) {
        self.init(
            folder: notice.folder, uid: notice.uid, uidValidity: notice.uidValidity,
            account: device.accountReference)
    }
}
