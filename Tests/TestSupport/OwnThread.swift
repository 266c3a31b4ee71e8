import Foundation
import Synchronization

/// Runs `body` on a thread that ends with it, and gives what it gives: for what a thread can do to itself for good.
public func onItsOwnThread<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) throws
    -> Success
{
    let outcome = Outcome<Success>()
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        outcome.result.withLock { $0 = Result(catching: body) }
        hasEnded.signal()
    }
    hasEnded.wait()
    guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
}

private final class Outcome<Success: Sendable>: Sendable {
    let result = Mutex<Result<Success, any Error>?>(nil)
}
