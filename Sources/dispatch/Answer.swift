internal import APNs

/// What came of one request: Apple's response, or the reason why there is none.
enum Answer: Equatable {
    case response(NotificationResponse)
    case missing(Disposition.TransportFailure)

    /// Apple's response, if there is one.
    var response: NotificationResponse? {
        guard case .response(let response) = self else { return nil }
        return response
    }

    /// What a row calls it.
    var summary: String {
        switch self {
        case .response(let response): response.summary
        case .missing(let failure): failure.summary
        }
    }

    /// How a pause that it causes is explained.
    var title: String { response.map { "\($0.status) \(summary)" } ?? summary }

    /// What it means.
    var disposition: Disposition {
        switch self {
        case .response(let response): .of(response)
        case .missing(let failure): .of(failure)
        }
    }
}
