import APNs

extension Reader {
    /// Three lines are the status, `retry-after` and `date`; the body is behind them.
    static func answer(_ input: [UInt8]) throws(BrokenPromise) {
        let parts = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let fields = parts.prefix(3).map { String(decoding: $0, as: UTF8.self) }
        let response = NotificationResponse(
            status: Int(fields[0]) ?? 410, retryAfter: fields.count > 1 ? fields[1] : nil,
            date: fields.count > 2 ? fields[2] : nil, body: parts.count > 3 ? Array(parts[3]) : [])
        _ = Disposition.of(response)
        try promise(
            response.summary.utf8.count <= 64 && isOneLine(response.summary), "a reason fits a row and a log")
        if let date = response.answeredAt {
            // The years 0 to 9999.
            try promise((-62_167_219_200...253_402_300_800).contains(date), "a date has four digits' years")
        }
        for clock in [Int64.min, 0, 1_790_000_000, .max] {
            guard let delay = response.retryDelay(wallSeconds: clock) else { continue }
            try promise(delay >= .zero, "nobody is asked to come back in the past")
            let wait = RetrySchedule.delay(attempts: 1, retryAfter: delay, jitter: 0)
            try promise(wait <= RetrySchedule.longestWait, "no wait is too long: \(wait)")
        }
        let asked: Int64 = 1_790_000_000_000
        let gone = Unregistration.moment(timestamp: response.timestamp, requestedAt: asked)
        try promise(
            (1_000_000_000_000...asked + 300_000).contains(gone), "a token went before it was asked for")
    }
}
