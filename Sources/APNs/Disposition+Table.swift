extension Disposition {
    /// Judges an answer.
    ///
    /// An answer that says nothing of the delivery is uncharged, and retires its connection or pauses its lane: a
    /// connection that goes without having been of use pauses the lane too, so that nothing comes round for ever.
    public static func of(_ response: NotificationResponse) -> Disposition {
        switch (response.status, response.reason) {
        case (200, _): Disposition(.sent, device: .seen)

        case (400, Reason.badDeviceToken): Disposition(.failed, device: .suspected, lane: .doubted)
        case (400, Reason.deviceTokenNotForTopic): Disposition(.failed, device: .struck)
        case (400, Reason.badTopic), (400, Reason.missingTopic), (400, Reason.topicDisallowed):
            Disposition(.deferred(charged: false), lane: .paused)
        // The connection was too old, which is nobody's fault.
        case (400, Reason.idleTimeout): Disposition(.deferred(charged: false), connection: .retired)

        // The caller pauses the lane if no other token can be had yet.
        case (403, Reason.expiredProviderToken):
            Disposition(.deferred(charged: false), connection: .retired, providerToken: .refused)
        case (403, Reason.invalidProviderToken):
            Disposition(
                .deferred(charged: false), lane: .paused, connection: .retired, providerToken: .refused)
        // A connection belongs to the key it was first used with; another one will take this key.
        case (403, Reason.unrelatedKeyIDInToken):
            Disposition(.deferred(charged: false), connection: .retired)
        // Apple may go on refusing on this connection after the cause has been removed.
        case (403, _): Disposition(.deferred(charged: false), lane: .paused, connection: .retired)

        case (410, _): Disposition(.judgedByRegistration)

        // Sticks to the connection, and another new token would only prolong it.
        case (429, Reason.tooManyProviderTokenUpdates):
            Disposition(.deferred(charged: false), connection: .retired)
        case (429, _): Disposition(.deferred(charged: true), device: .throttled)

        // A request of ours that can't be right, or a rule that is newer than this table: again would be no better.
        case (400...499, _): Disposition(.failed, isOurFault: true)

        case (503, Reason.shutdown): Disposition(.deferred(charged: false), connection: .retired)
        // Whatever Apple doesn't send is somebody's in between, and as good as a server's failure.
        default: Disposition(.deferred(charged: true), lane: .strained, connection: .replaced)
        }
    }

    /// Whether the reason that a GOAWAY gives (Apple puts the same JSON into it) is a fault of our key: then no other
    /// connection will do better.
    public static func pausesLane(goAwayReason reason: Reason?) -> Bool {
        guard let reason, Reason.ofCredentials.contains(reason) else { return false }
        return of(NotificationResponse(status: 403, reason: reason)).lane == .paused
    }

    /// Why a request got no answer.
    public enum TransportFailure: Equatable, Sendable, CaseIterable {
        /// The server said that it didn't look at it (GOAWAY above the last stream, REFUSED_STREAM), or it was
        /// never sent.
        case notProcessed
        /// Bytes were sent and nothing is known: the connection was lost or the server reset the stream.
        case lost
        /// The server took the request and said nothing in time.
        case timedOut

        /// What a row or a log line calls it.
        public var summary: String {
            switch self {
            case .notProcessed: "not processed"
            case .lost: "connection lost"
            case .timedOut: "no answer in time"
            }
        }
    }

    /// Judges the lack of an answer: only a request that may have been processed is charged.
    ///
    /// Connections look after themselves (`ConnectionMachine`).
    public static func of(_ failure: TransportFailure) -> Disposition {
        switch failure {
        case .notProcessed: Disposition(.deferred(charged: false))
        case .lost, .timedOut: Disposition(.deferred(charged: true))
        }
    }
}
