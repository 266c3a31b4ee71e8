/// How often chaos answers what: every status and reason that Apple documents, and some that nobody does.
///
/// What concerns one wake or device comes often, what stops a client for a while seldom.
enum ChaoticAnswers {
    private static let tickets: [(count: Int, step: AnswerStep)] =
        [(92_000, AnswerStep())]
        + [
            ticket(1_200, 500, "InternalServerError"), ticket(1_200, 503, "ServiceUnavailable"),
            ticket(300, 503, "Shutdown"), ticket(300, 502, nil), ticket(200, 599, "SomethingNew"),
            ticket(600, 429, "TooManyRequests"), ticket(100, 429, "TooManyProviderTokenUpdates"),
            ticket(100, 429, nil), ticket(150, 400, "IdleTimeout"),
            ticket(100, 400, "BadDeviceToken"), ticket(200, 400, "DeviceTokenNotForTopic"),
            ticket(100, 410, "Unregistered"), ticket(100, 410, "ExpiredToken"),
            ticket(50, 410, "SomethingNew"), (50, goneLongAgo),
        ]
        // What a client would have to blame itself for.
        + [
            "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
            "InvalidPushType", "MissingDeviceToken", "PayloadEmpty", "SomethingNew",
        ].map { ticket(50, 400, $0) }
        + [
            ticket(50, 404, "BadPath"), ticket(50, 405, "MethodNotAllowed"),
            ticket(100, 413, "PayloadTooLarge"),
            ticket(50, 418, nil), ticket(20, 403, "UnrelatedKeyIdInToken"),
        ]
        // What costs a provider token, once it may be replaced.
        + [ticket(100, 403, "ExpiredProviderToken"), ticket(20, 403, "InvalidProviderToken")]
        // What stops everything that goes the same way.
        + ["BadTopic", "MissingTopic", "TopicDisallowed"].map { ticket(2, 400, $0) }
        + [
            "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyInToken",
            "BadEnvironmentKeyIdInToken", "Forbidden", "MissingProviderToken", "SomethingNew",
        ].map { ticket(2, 403, $0) }

    private static let goneLongAgo = AnswerStep(
        status: 410, reason: "Unregistered", timestamp: .fromNow(.seconds(-30 * 86_400)))

    private static func ticket(_ count: Int, _ status: Int, _ reason: String?) -> (Int, AnswerStep) {
        (count, AnswerStep(status: status, reason: reason))
    }

    /// Tickets are numbered from 0 to this.
    static let lastTicket = tickets.reduce(0) { $0 + $1.count } - 1

    /// The answer on a ticket; 200 beyond the last.
    static func pick(_ ticket: Int) -> AnswerStep {
        var left = ticket
        for (count, step) in tickets {
            if left < count { return step }
            left -= count
        }
        return AnswerStep()
    }
}
