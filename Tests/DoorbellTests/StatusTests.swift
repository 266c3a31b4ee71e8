import JSON
import Posix
import Queue
import Testing

@testable import DoorbellCommand

@Suite("Status")
struct StatusTests {
    private static let time = WallTime(milliseconds: 1_790_000_000_000)
    private static let report = """
        {"lanes":[{"environment":"production","topic":"com.example.Mail","connections":0,"in_hand":0,\
        "state":"paused","trouble":"refused","reason":"403 InvalidProviderToken","since":1789999940000,\
        "next_try":1790000010000},\
        {"environment":"production","topic":"com.example.Other","connections":2,"in_hand":1,\
        "state":"probing","trouble":"connection","reason":"closed","since":1789999940000},\
        {"environment":"sandbox","topic":"com.example.Mail","stand_in":"127.0.0.1:2197","connections":1,"in_hand":7,"state":"open"}],\
        "mail_servers":[{"service":"imap","address":"127.0.0.1:143","asked":true,"connections":2},\
        {"service":"doveadm","address":"/run/d","asked":true,"connections":0,\
        "reason":"no answer","since":1789999940000,"refusal":"to 2 accounts","refused_since":1789999940000}],\
        "clock_skew":-90,"at":1789999990000}
        """

    private func status(dispatch: String? = "12", off: String? = nil) throws -> Status {
        let counts = QueueCounts(
            waiting: 1, queued: 2, deferred: 3, oldest: WallTime(milliseconds: 1_789_999_955_500),
            ends: [
                .init(end: "dropped", reason: "no_device", count: 4),
                .init(end: "sent", reason: "200", count: 5),
            ],
            liveDevices: 6, suspectDevices: 7, disabledDevices: 8, throttledDevices: 9)
        let lanes = try #require(LaneReport(Array(Self.report.utf8)))
        return Status(
            pushIsOffBecause: off, drain: nil, dispatch: dispatch, lanes: lanes,
            spool: .success(SpoolContents()), counts: counts,
            now: Self.time)
    }

    @Test("Status tells a person everything, one fact a line")
    func text() throws {
        #expect(
            try status().text == """
                push         on
                spool-drain  doesn't run
                dispatch     runs as process 12
                spool        0 waiting, 0 set aside
                lane         production com.example.Mail: paused since 2026-09-21T14:12:20.000Z: \
                403 InvalidProviderToken (refused); next try 2026-09-21T14:13:30.000Z; 0 connections
                lane         production com.example.Other: paused since 2026-09-21T14:12:20.000Z: \
                closed (connection); being tried; 2 connections
                lane         sandbox com.example.Mail: open, 1 connection; \
                127.0.0.1:2197 in Apple's place (DOORBELL_APNS_HOST)
                uids         imap 127.0.0.1:143: asked, 2 connections
                uids         doveadm /run/d: not asked since 2026-09-21T14:12:20.000Z: no answer
                uids         doveadm /run/d: login refused since 2026-09-21T14:12:20.000Z: to 2 accounts
                clock        90 s behind the stand-in's
                devices      6 live, 7 suspect, 8 disabled; 9 throttled
                waiting      1
                queued       2
                deferred     3
                oldest       44 s
                dropped      4 no_device: the user has no device
                sent         5 200

                """)
    }

    @Test("Status tells a program the same")
    func json() throws {
        let value = try JSONParser.parse(Array(try status().json.utf8))
        #expect(value["push"]?.string == "on")
        #expect(value["push_off_reason"] == .null)
        #expect(value["drain_process"] == .null)
        #expect(value["dispatch_process"]?.integer == 12)
        let lanes = try #require(value["lanes"]?.array)
        #expect(lanes.map { $0["paused"]?.string } == ["403 InvalidProviderToken", "closed", nil])
        #expect(lanes.map { $0["trouble"]?.string } == ["refused", "connection", nil])
        #expect(lanes.map { $0["next_try"]?.integer } == [1_790_000_010_000, nil, nil])
        #expect(lanes.map { $0["connections"]?.integer } == [0, 2, 1])
        #expect(lanes.map { $0["in_hand"]?.integer } == [0, 1, 7])
        #expect(lanes.map { $0["stand_in"]?.string } == [nil, nil, "127.0.0.1:2197"])
        let servers = try #require(value["mail_servers"]?.array)
        #expect(servers.map { $0["service"]?.string } == ["imap", "doveadm"])
        #expect(servers.map { $0["address"]?.string } == ["127.0.0.1:143", "/run/d"])
        #expect(servers.map { $0["asked"] } == [.boolean(true), .boolean(true)])
        #expect(servers.map { $0["connections"]?.integer } == [2, 0])
        #expect(servers.map { $0["paused"]?.string } == [nil, "no answer"])
        #expect(servers.map { $0["since"]?.integer } == [nil, 1_789_999_940_000])
        #expect(servers.map { $0["refusal"]?.string } == [nil, "to 2 accounts"])
        #expect(servers.map { $0["refused_since"]?.integer } == [nil, 1_789_999_940_000])
        #expect(value["clock_skew"]?.integer == -90)
        #expect(value["oldest_age"]?.integer == 44_500)
        let numbers = [
            "waiting", "queued", "deferred", "devices_live", "devices_suspect", "devices_disabled",
            "devices_throttled",
        ]
        #expect(numbers.map { value[$0]?.integer } == [1, 2, 3, 6, 7, 8, 9])
        #expect(value["ends"]?.array?.map { $0["count"]?.integer } == [4, 5])
    }

    @Test("A daemon whose process id can't be read runs all the same, under no number")
    func unknownProcess() throws {
        let value = try JSONParser.parse(Array(try status(dispatch: "unknown").json.utf8))
        #expect(value["dispatch_process"]?.string == "unknown")
    }

    @Test("A configuration that dispatch refused to read again is told with why, as long as dispatch runs")
    func refusal() throws {
        let report = #"{"lanes":[],"refused":"/d.toml:3:1: push.key_file: missing","refused_since":0,"at":1}"#
        for (dispatch, isTold) in [("12", true), (nil, false)] {
            let status = Status(
                pushIsOffBecause: nil, drain: nil, dispatch: dispatch, lanes: LaneReport(Array(report.utf8)),
                spool: .success(SpoolContents()), counts: QueueCounts(), now: Self.time)
            let line =
                "configuration  refused since 1970-01-01T00:00:00.000Z, the old one stays: /d.toml:3:1: "
                + "push.key_file: missing\n"
            #expect(status.text.contains(line) == isTold)
            let json = try JSONParser.parse(Array(status.json.utf8))
            #expect((json["configuration_refused_since"]?.integer == 0) == isTold)
        }
    }

    @Test("Push that is off says why")
    func pushOff() throws {
        #expect(
            try status(off: "[push] says enabled = false").text.contains("off: [push] says enabled = false\n")
        )
    }

    @Test("What a dispatch noted that doesn't run any more is dated")
    func stale() throws {
        let text = try status(dispatch: nil).text
        #expect(text.contains("(DOORBELL_APNS_HOST), as of 2026-09-21T14:13:10.000Z\n"))
        #expect(text.contains("dispatch     doesn't run\n"))
    }

    @Test(
        "The clock is compared with Apple's once Apple has told its time",
        arguments: [
            ("", nil), (",\"clock_skew\":0", "clock        agrees with Apple's\n"),
            (",\"clock_skew\":3600", "clock        3600 s ahead of Apple's\n"),
            (",\"clock_skew\":-9223372036854775808", "clock        9223372036854775808 s behind Apple's\n"),
        ] as [(String, String?)])
    func clock(member: String, line: String?) throws {
        let lanes = try #require(LaneReport(Array("{\"lanes\":[]\(member),\"at\":1}".utf8)))
        let status = Status(
            pushIsOffBecause: nil, drain: nil, dispatch: "12", lanes: lanes, spool: .success(SpoolContents()),
            counts: QueueCounts(),
            now: Self.time)
        #expect(status.text.contains(line ?? "devices") && status.text.contains("clock") == (line != nil))
    }

    @Test(
        "A mail server is told of before it is asked, and what comes of it where none answers",
        arguments: [
            (#""asked":false"#, "not asked yet"),
            (#""asked":true,"reason":"no answer""#, "not asked (wakes go with uid 0): no answer"),
        ])
    func mailServer(members: String, state: String) throws {
        let server = #"{"service":"imap","address":"127.0.0.1:143",\#(members),"connections":0}"#
        let lanes = try #require(LaneReport(Array(#"{"lanes":[],"mail_servers":[\#(server)],"at":1}"#.utf8)))
        let status = Status(
            pushIsOffBecause: nil, drain: nil, dispatch: "12", lanes: lanes, spool: .success(SpoolContents()),
            counts: QueueCounts(),
            now: Self.time)
        #expect(status.text.contains("uids         imap 127.0.0.1:143: \(state)\n"))
    }

    @Test(
        "A report that isn't as dispatch writes it is no report",
        arguments: ["", "[]", "{\"lanes\":7,\"at\":1}"])
    func damagedReport(text: String) {
        #expect(LaneReport(Array(text.utf8)) == nil)
    }

    @Test("An oldest mail from the future has waited for no time, not a negative one")
    func future() throws {
        let status = Status(
            pushIsOffBecause: nil, drain: nil, dispatch: nil, lanes: nil,
            spool: .success(SpoolContents()), counts: QueueCounts(oldest: WallTime(milliseconds: .max)),
            now: WallTime(milliseconds: .min))
        #expect(status.oldestAge == .zero)
    }
}
