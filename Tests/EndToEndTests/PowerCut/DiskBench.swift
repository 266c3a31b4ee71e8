import Foundation
import JSON
import TestSupport

/// A site that has a disk of its own for what it writes, or a part of it, with mails that come by chance.
final class DiskBench {
    let site: Site
    let disk: Disk
    let village: Village
    private var random: SplitMix
    /// The uids of mails that have been written so far.
    private(set) var written = 0

    /// An entry by whose it is and the uid of its mail.
    struct Entry: Hashable {
        let owner: UInt32
        let uid: Int64
    }

    /// Sets a site up.
    ///
    /// - Parameters:
    ///   - folder: what is on the disk.
    ///   - seed: repeats what is left to chance.
    init(_ format: Disk.Format, as folder: String = "var", seed: UInt64 = 0, answers: [String] = []) throws {
        site = try Site(inVillage: true, disk: (format, folder), answers: answers)
        guard let disk = site.disk, let village = site.village else {
            throw Site.Trouble(description: "the site has no disk")
        }
        (self.disk, self.village) = (disk, village)
        random = SplitMix(state: seed)
    }

    /// Lets everything run for some time, at least this many milliseconds and at most so many more, and cuts the
    /// power; gives the moment.
    func cut(after least: Int, _ more: Int) throws -> Date {
        Thread.sleep(forTimeInterval: Double(least + random.below(more)) / 1000)
        return try disk.cutPower()
    }

    /// Has a shell do something again and again until it fails.
    ///
    /// Each time it prints the time and what came of it.
    private func repeating(_ step: String, _ arguments: [String], as person: Person? = nil) throws
        -> RunningProgram
    {
        let script = "while result=$(\(step)); do echo $EPOCHREALTIME $result; number=$((number + 1)); done"
        return try site.start(["/bin/bash", "-c", "number=$0; " + script] + arguments, as: person)
    }

    /// What such a shell had printed before the power went.
    private func results(of shell: RunningProgram, before moment: Date) throws -> [String] {
        try shell.waitForEnd()
        // The last line may be torn.
        return shell.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
            let words = $0.split(separator: " ")
            guard words.count == 2, let time = Double(words[0]), time < moment.timeIntervalSince1970 else {
                return nil
            }
            return String(words[1])
        }
    }

    /// Has three ordinary users ring for one mail after the other, each for a folder of its own, so that none is held
    /// back.
    ///
    /// - Parameters:
    ///   - first: the first mail's uid.
    ///   - goingOn: whether they go on after a hook has failed, and leave the others time.
    func startHooks(first: Int, goingOn: Bool = false) throws -> [(owner: UInt32, shell: RunningProgram)] {
        let hook = #""$1" --strict --spool "$2" --uid $number "$3" "F$number" </dev/null && echo $number"#
        let ring = goingOn ? "sleep 0.02; \(hook) || :" : hook
        return try [village.ana, village.ben, village.cem].map { person in
            let arguments = ["\(first)", site.hook, site.spoolDirectory, person.name]
            return (person.uid, try repeating(ring, arguments, as: person))
        }
    }

    /// The entries that hooks called safe before the power went.
    func safe(by hooks: [(owner: UInt32, shell: RunningProgram)], before moment: Date = .distantFuture) throws
        -> Set<Entry>
    {
        var entries: Set<Entry> = []
        for (owner, shell) in hooks {
            let uids = try results(of: shell, before: moment).compactMap { Int64($0) }
            entries.formUnion(uids.map { Entry(owner: owner, uid: $0) })
        }
        return entries
    }

    /// Flushes a file of its own all the time, as a mail server does: what others have unlinked is then on the disk too.
    func startFlushing() throws -> RunningProgram {
        try repeating(#"echo >"$1" && sync "$1""#, ["0", site.spoolDirectory + "/other"])
    }

    /// Registers one device after the other, for somebody who gets no mail.
    func startRegistering(first: Int) throws -> RunningProgram {
        let add = #"printf %064x $number | "$1" --config "$2" device add --user cem"#
        let doorbell = site.directory.file("usr/bin/doorbell")
        return try repeating(add, ["\(first)", doorbell, site.configuration])
    }

    /// The ids of devices that were registered before the power went.
    func registered(by shell: RunningProgram, before moment: Date) throws -> [String] {
        try results(of: shell, before: moment)
    }

    /// The ids of wakes of which dispatch had said, before the power went, that they were sent; it says so once that
    /// is committed.
    func settled(by dispatch: RunningProgram, before moment: Date) throws -> [String] {
        try dispatch.waitForEnd()
        return try dispatch.errors.split(separator: "\n").compactMap { line in
            let pattern = #/(\S+) dispatch.*: sent, accepted by a stand-in, apns-id (\S{36})/#
            guard let match = line.wholeMatch(of: pattern) else { return nil }
            let time = try Date(
                String(match.1), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            return time < moment ? String(match.2) : nil
        }
    }

    /// The entries in the spool; throws where one isn't whole.
    func entries() throws -> Set<Entry> {
        let new = disk.path(site.spoolDirectory + "/new")
        var entries: Set<Entry> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: new) where !name.hasPrefix(".") {
            let file = "\(new)/\(name)"
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            var status = stat()
            guard lstat(file, &status) == 0, content.last == UInt8(ascii: "\n"),
                let uid = try? JSONParser.parse(Array(content.dropLast()))["uid"]?.integer
            else { throw Site.Trouble(description: "an entry of \(content.count) bytes isn't whole") }
            entries.insert(Entry(owner: status.st_uid, uid: uid))
        }
        return entries
    }

    /// The names in the spool.
    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: disk.path(site.spoolDirectory + "/new")))
    }

    /// Puts entries for a user into the spool, as root may, and has them on the disk; each names a folder of
    /// its own, so that none is held back.
    func fill(_ count: Int, for user: String = "ana") throws {
        let new = disk.path(site.spoolDirectory + "/new")
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        for _ in 0..<count {
            written += 1
            let entry = """
                {"v":1,"user":"\(user)","folder":"Folder \(written)","uid":\(written),"msg_id":"","at":\(now)}

                """
            let name = String(format: "%016ld.%016lx", now, written)
            try entry.write(toFile: "\(new)/\(name)", atomically: false, encoding: .utf8)
        }
        try site.run(["/bin/sync", "--file-system", site.spoolDirectory])
    }

    /// Has the drain move what is in the spool.
    func drain() throws { try finish("spool-drain", as: site.drainUser) { try names().count } }

    /// Runs a daemon until nothing is left to do, however long it takes: it gets on as long as what is counted has
    /// changed every half minute.
    func finish(_ name: String, as person: Person, counting count: () throws -> Int) throws {
        let daemon = try site.launch(name, as: person, once: true)
        var last = try count()
        while true {
            do {
                let ending = try daemon.waitForEnd(within: 30)
                guard ending == .exited(0) else {
                    throw Site.Trouble(description: "\(name) \(ending): \(daemon.errors.suffix(1000))")
                }
                return
            } catch let deadline as RunningProgram.DeadlinePassed {
                let now = try count()
                guard now != last else { throw deadline }
                last = now
            }
        }
    }

    /// What the queue holds, as a copy tells: the tests and SQLite see the file by different paths.
    func queue() throws -> QueueContents {
        let copy = try TemporaryDirectory()
        for suffix in ["", "-wal"]
        where FileManager.default.fileExists(atPath: disk.path(site.queue + suffix)) {
            try FileManager.default.copyItem(
                atPath: disk.path(site.queue + suffix), toPath: copy.file("doorbell.db\(suffix)"))
        }
        return try QueueContents(path: copy.file("doorbell.db"), in: copy)
    }
}
