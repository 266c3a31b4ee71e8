import APNs
import TestSupport

/// Connections that live through anything, one after the other, beside the simplest account of what must hold.
struct ConnectionWalk {
    /// What didn't hold.
    struct Violation: Error { let what: String }

    enum Mark: UInt8 { case open, ended }

    private var random: SplitMix
    var machine = ConnectionMachine(now: .zero)
    let limits = ConnectionMachine.Limits()
    private(set) var now = Duration.zero
    /// How often each kind of end came about.
    var endings: [String: Int] = [:]
    private(set) var submitted = 0
    var pings = 0

    // The account of the present connection; streams stand in the order of their ids.
    private var firstStream: Int32 = 1
    var marks: [Mark] = []
    var since: [Duration] = []
    var openCount = 0
    var oldestPlace = 0
    var limit: Int?
    var isLeft = false
    var isClosed = false
    var lastHeard = Duration.zero
    /// The newest stream when the server first refused one; nil while it is trusted.
    var refusedAfter: Int?

    init(seed: UInt64) { random = SplitMix(state: seed) }

    /// Lets one thing happen, and looks at everything.
    mutating func step() throws {
        if isClosed && random.chance(8) { begin() }
        try happen()
        if random.chance(3) { now += pause() }
        // A loop that is held up looks later; one that isn't looks when it should.
        if !random.chance(4) { try lookAtTime() }
        try examine()
    }

    private mutating func begin() {
        machine = ConnectionMachine(now: now)
        (marks, since, openCount, oldestPlace) = ([], [], 0, 0)
        // Some begin close to the last id there is.
        firstStream = random.chance(8) ? Int32.max - Int32(random.below(200) * 2) : 1
        (limit, isLeft, isClosed, lastHeard, refusedAfter) = (nil, false, false, now, nil)
    }

    private mutating func pause() -> Duration {
        switch random.below(4000) {
        case 0: .seconds(random.below(7200))
        case 1..<20: .seconds(random.below(40))
        // What only waits for its end is over sooner.
        default: .milliseconds(random.below(isLeft ? 3000 : 50))
        }
    }

    private mutating func happen() throws {
        switch random.below(3000) {
        case 0:
            machine.retire(now: now)
            isLeft = true
        case 1: try lose()
        case 2..<5: try goAway()
        case 5..<80: settings()
        case 80..<160: try hear(closed: true)
        case 160..<300:
            machine.received(now: now)
            lastHeard = now
        case 300..<400:
            guard let due = machine.nextTimer(), due > now else { break }
            try hold(machine.timer(now: now) == .none, "a timer that asks for something before its time")
        case 400..<1900: try hear(closed: false)
        default: try submit()
        }
    }

    private mutating func submit() throws {
        guard machine.freeStreams > 0 else { return }
        try hold(limit != nil && !isLeft && !isClosed, "a free stream in a connection that takes none")
        if let refusedAfter, let newest = marks.indices.last, newest > refusedAfter {
            try hold(marks[newest] == .ended, "two streams at once after a refusal")
        }
        machine.submitted(stream(at: marks.count), now: now)
        if stream(at: marks.count) == .max { isLeft = true }
        marks.append(.open)
        since.append(now)
        openCount += 1
        submitted += 1
    }

    func stream(at place: Int) -> Int32 { Int32(clamping: Int(firstStream) + place * 2) }

    func place(of stream: Int32) -> Int { (Int(stream) - Int(firstStream)) / 2 }

    /// The server ends a stream: a recent one, an old one, or one that never was.
    private mutating func hear(closed: Bool) throws {
        let back = [marks.count + 1, 600, 4][random.below(3)]
        let place = max(0, marks.count - random.below(back))
        let stream = stream(at: place)
        // There is none above the last one.
        guard self.place(of: stream) == place else { return }
        let isOpen = place < marks.count && marks[place] == .open
        machine.received(now: now)
        lastHeard = now
        guard closed else {
            machine.answered(stream, provingConnection: random.chance(2))
            if isOpen { end(place) }
            if let refusedAfter, place > refusedAfter, isOpen { self.refusedAfter = nil }
            return
        }
        let code = [UInt32(0), 2, 5, 7, 7, 7, 8, .max][random.below(8)]
        let failure = machine.closed(stream, code: code)
        try hold((failure != nil) == isOpen, "a stream that ends twice or never")
        if let failure {
            try hold((failure == .notProcessed) == (code == 7), "a reset misjudged")
            if code == 7 { refusedAfter = refusedAfter ?? marks.count - 1 }
            end(place)
        }
    }

    private mutating func settings() {
        let maximum = [0, 1, 2, 5, 100, 1000, Int(UInt32.max)][random.below(7)]
        machine.settingsReceived(maximumStreams: maximum, now: now)
        limit = min(maximum, limits.streams)
    }

    private mutating func goAway() throws {
        let last = random.chance(3) ? Int32.max : stream(at: random.below(marks.count + 1)) - 1
        let given = machine.goAwayReceived(lastStream: last, now: now)
        isLeft = true
        for stream in given {
            try hold(stream > last, "GOAWAY gave up a stream that was processed")
            try take(stream, "given up")
        }
        for place in marks.indices where stream(at: place) > last {
            try hold(marks[place] == .ended, "GOAWAY forgot a stream")
        }
    }

    mutating func lose() throws {
        for stream in machine.lost() { try take(stream, "lost") }
        isClosed = true
        try hold(openCount == 0, "a stream that nobody gave back")
    }

    private mutating func end(_ place: Int) {
        marks[place] = .ended
        openCount -= 1
    }

    mutating func take(_ stream: Int32, _ what: String) throws {
        let place = place(of: stream)
        try hold(marks.indices.contains(place) && marks[place] == .open, "\(what): not that stream")
        end(place)
    }

    func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Violation(what: what()) }
    }
}
