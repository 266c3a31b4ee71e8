/// An entry that could not be published: the step that failed, and why.
public struct SpoolFailure: Error, Equatable, Sendable {
    /// The steps of publishing, in their order.
    public enum Step: Equatable, Sendable {
        case openDirectory
        /// Nothing was tried: what is left of the file system is left to the mail.
        case findRoom
        case create
        case write
        case setMode
        case flush
        case link
        /// The entry is visible by now and whole; only a power cut could still undo it.
        case flushName
    }

    /// What was being done.
    public let step: Step
    /// The number the C library left in errno.
    public let errno: CInt

    /// Describes a failed step.
    public init(_ step: Step, errno: CInt) {
        self.step = step
        self.errno = errno
    }

    /// What could not be done, to be followed by the cause.
    public var summary: StaticString {
        switch step {
        case .openDirectory: "cannot open this directory"
        case .findRoom: "the file system is nearly full"
        case .create: "cannot create an entry here"
        case .write: "cannot write an entry here"
        case .setMode: "cannot set an entry's mode here"
        case .flush: "cannot flush an entry here to the disk"
        case .link: "cannot name an entry here"
        case .flushName: "cannot flush an entry's name here to the disk"
        }
    }
}
