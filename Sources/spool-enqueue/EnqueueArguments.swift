/// What the command line asks for; pure.
struct EnqueueArguments {
    /// What keeps a command line from being obeyed.
    struct Fault: Error {
        /// The fault in words that hold for any value: an argument may be an address and is never quoted.
        let text: StaticString
    }

    /// procmail's variables at the time of its TRAP.
    struct Trap {
        let maildir: [UInt8]
        let exitCode: [UInt8]
        let lastFolder: [UInt8]
    }

    static let usage: StaticString = """
        usage: spool-enqueue [--strict] [--spool DIR] [--uid N] [--uid-validity N] [--uidlist PATH]
                             [--maildir DIR --exit CODE --filed PATH] USER [FOLDER]
               spool-enqueue --help | --version

        Rings for one mail: reads it on standard input and puts an entry into the spool.

          --strict          exit with a code of sysexits.h on failure, instead of 0
          --spool DIR       the spool, with new/ in it (default: /var/spool/doorbell)
          --uid N           the mail's UID, if known exactly
          --uid-validity N  the folder's UIDVALIDITY
          --uidlist PATH    the folder's dovecot-uidlist, for a guess at the UID
          --maildir DIR --exit CODE --filed PATH
                            procmail's $DEFAULT, $EXITCODE and $LASTFOLDER in its TRAP:
                            rings only for a mail filed there, in the folder it was filed into
          USER              the account to ring for
          FOLDER            the mail's folder (default: INBOX, or where --filed lies)

        """

    private(set) var strict = false
    /// What to print instead of ringing.
    private(set) var answer: [UInt8]?
    private(set) var spool = bytes("/var/spool/doorbell")
    private(set) var uid: UInt32 = 0
    private(set) var uidValidity: UInt32?
    private(set) var uidList: [UInt8]?
    private(set) var trap: Trap?
    private(set) var user: [UInt8] = []
    private(set) var folder: [UInt8]?

    /// Reads the arguments that follow the program's name; after a fault, what was read until then holds.
    mutating func read(_ arguments: [[UInt8]]) throws(Fault) {
        // A fault further left must not hide how faults are to be reported.
        strict = arguments.contains { $0.elementsEqual(bytes("--strict")) }
        var maildir: [UInt8]?
        var exitCode: [UInt8]?
        var lastFolder: [UInt8]?
        var names: [[UInt8]] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            func isOption(_ name: StaticString) -> Bool {
                name.withUTF8Buffer { argument.elementsEqual($0) }
            }
            func value() throws(Fault) -> [UInt8] {
                guard let value = rest.popFirst() else { throw Fault(text: "the last option needs a value") }
                return value
            }
            guard argument.first == UInt8(ascii: "-") else {
                names.append(argument)
                continue
            }
            if isOption("--") {
                names += rest
                rest = []
            } else if isOption("--strict") {
                continue
            } else if isOption("--help") {
                answer = bytes(Self.usage)
            } else if isOption("--version") {
                answer = bytes("spool-enqueue ") + bytes(Version.text) + bytes("\n")
            } else if isOption("--spool") {
                spool = try value()
            } else if isOption("--uid") {
                uid = try number(value(), orZero: true, "--uid needs a number up to 4294967295")
            } else if isOption("--uid-validity") {
                uidValidity = try number(value(), "--uid-validity needs a number from 1 to 4294967295")
            } else if isOption("--uidlist") {
                uidList = try value()
            } else if isOption("--maildir") {
                maildir = try value()
            } else if isOption("--exit") {
                exitCode = try value()
            } else if isOption("--filed") {
                lastFolder = try value()
            } else {
                throw Fault(text: "unknown option")
            }
        }
        guard answer == nil else { return }
        try read(names: names)
        if let maildir, let exitCode, let lastFolder {
            trap = Trap(maildir: maildir, exitCode: exitCode, lastFolder: lastFolder)
        } else if maildir != nil || exitCode != nil || lastFolder != nil {
            throw Fault(text: "--maildir, --exit and --filed go together")
        }
    }

    private mutating func read(names: [[UInt8]]) throws(Fault) {
        guard let user = names.first else { throw Fault(text: "no USER is given") }
        guard names.count <= 2 else { throw Fault(text: "more than USER and FOLDER are given") }
        guard SpoolEntry.isUser(user) else {
            throw Fault(text: "USER must be 1 to 256 bytes of UTF-8 without control characters")
        }
        self.user = user
        guard names.count == 2 else { return }
        guard SpoolEntry.isFolder(names[1]) else {
            throw Fault(text: "FOLDER must be 1 to 1000 bytes of UTF-8 without control characters")
        }
        folder = names[1]
    }

    private func number(_ digits: [UInt8], orZero: Bool = false, _ fault: StaticString) throws(Fault)
        -> UInt32
    {
        guard let number = UInt32(decimal: digits), number > 0 || orZero else { throw Fault(text: fault) }
        return number
    }
}
