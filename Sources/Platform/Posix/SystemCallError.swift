/// A system call that failed: which one, on what, and why.
///
/// Prints as one line a person can act on: `open /var/spool/doorbell/new: Permission denied`.
public struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call's name as in its man page.
    public let call: String
    /// The path, address or descriptor the call was about.
    public let subject: String
    /// The error number the call left.
    public let errno: Errno

    /// Describes a failure of `call` on `subject`.
    public init(call: String, subject: String, errno: Errno) {
        self.call = call
        self.subject = subject
        self.errno = errno
    }

    /// Call, subject and cause in one line.
    public var description: String { "\(call) \(subject): \(errno)" }
}

/// Makes one system call and turns -1 into an error; every call of this module goes through here.
///
/// - Parameters:
///   - call: the name in the man page, for the error.
///   - subject: what the call is about, for the error; only evaluated on failure.
///   - retryingInterrupts: whether EINTR repeats the call (true for all but close(2), poll(2) and the like).
///   - body: makes the call and gives its result, -1 meaning that errno is set.
public func systemCall<Result: SignedInteger & FixedWidthInteger>(
    _ call: StaticString, _ subject: @autoclosure () -> String, retryingInterrupts: Bool = true,
    _ body: () -> Result
) throws(SystemCallError) -> Result {
    while true {
        let result = body()
        guard result == -1 else { return result }
        let errno = Errno.current
        if errno == .interrupted && retryingInterrupts { continue }
        throw SystemCallError(call: "\(call)", subject: subject(), errno: errno)
    }
}
