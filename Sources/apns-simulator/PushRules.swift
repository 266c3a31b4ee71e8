internal import HTTP2
internal import JSON

/// What push type, priority, expiration and payload must be, alone and together (Sending notification requests to
/// APNs; Pushing background updates to your app).
enum PushRules {
    static func check(_ request: PushRequest) throws(RefusalReason) {
        let type = try pushType(request.headers["apns-push-type"])
        try checkPriority(request.headers["apns-priority"], type)
        try checkExpiration(request.headers["apns-expiration"])
        try checkContent(try payload(request.body, type), type)
    }

    private enum PushType: String {
        case alert, background, voip, complication, fileprovider, mdm, liveactivity, location, pushtotalk,
            widgets
        case controls
    }

    /// Apple requires the field for watches and recommends it for the rest; here it is required.
    private static func pushType(_ value: String?) throws(RefusalReason) -> PushType {
        guard let value, let type = PushType(rawValue: value) else { throw .invalidPushType }
        return type
    }

    /// 10 is what a missing field means, and it is an error for background pushes.
    private static func checkPriority(_ value: String?, _ type: PushType) throws(RefusalReason) {
        let priority = value ?? "10"
        guard ["1", "5", "10"].contains(priority), type != .background || priority != "10" else {
            throw .badPriority
        }
    }

    /// Whole seconds in 32 bits, the width that the field had in Apple's binary interface: milliseconds don't fit.
    private static func checkExpiration(_ value: String?) throws(RefusalReason) {
        guard let value else { return }
        guard value.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), UInt32(value) != nil
        else {
            throw .badExpirationDate
        }
    }

    /// What stands under `aps`.
    ///
    /// Apple names no reason for a payload that can't be read; that there is none is the nearest.
    private static func payload(_ body: [UInt8], _ type: PushType) throws(RefusalReason) -> [String:
        JSONValue]
    {
        if body.isEmpty { throw .payloadEmpty }
        guard body.count <= (type == .voip ? 5_120 : 4_096) else { throw .payloadTooLarge }
        guard let value = try? JSONParser.parse(body), case .object(let aps)? = value["aps"] else {
            throw .payloadEmpty
        }
        return aps
    }

    /// What a person notices: present in every alert and in no background push.
    private static let noticeable: Set = ["alert", "badge", "sound"]

    private static func checkContent(_ aps: [String: JSONValue], _ type: PushType) throws(RefusalReason) {
        let isNoticeable = !noticeable.isDisjoint(with: aps.keys)
        let fits =
            switch type {
            case .alert: isNoticeable
            case .background: !isNoticeable && aps["content-available"] == .integer(1)
            default: true
            }
        guard fits else { throw .invalidPushType }
    }
}
