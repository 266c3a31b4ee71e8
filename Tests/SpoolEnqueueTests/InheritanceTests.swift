import Foundation
import TestSupport
import Testing

@Suite("What outlives exec does no harm")
struct InheritanceTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private func expectRung(_ outcome: Hook.Outcome) {
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries.count == 1)
        #expect(outcome.log == [])
    }

    @Test(
        "A signal that is blocked and pending is discarded",
        arguments: ["ALRM", "TERM", "HUP", "USR1", "PROF", "TSTP"])
    func pendingSignal(name: String) throws {
        let script = #"kill -s \#(name) $$; exec "$@""#
        let wrapper = ["/usr/bin/env", "--block-signal=\(name)", "/bin/sh", "-c", script, "sh"]
        expectRung(try hook.run(wrapper: wrapper, within: 10))
    }

    @Test("A caller's timer doesn't go off", arguments: ["VIRTUAL", "PROF"])
    func timer(name: String) throws {
        let program = "setitimer(ITIMER_\(name), 0.02); exec @ARGV"
        let perl = ["/usr/bin/perl", "-MTime::HiRes=setitimer,ITIMER_\(name)", "-e", program]
        // To read so much takes several times as long.
        expectRung(try hook.run(input: Data(count: 100_000_000), wrapper: perl))
    }

    @Test("A limit is as high as it may be", arguments: ["fsize=0", "nofile=4"])
    func softLimit(limit: String) throws {
        expectRung(try hook.run(wrapper: ["/usr/bin/prlimit", "--\(limit):"]))
    }

    @Test("A caller that dies doesn't take the hook with it")
    func parentDeath() throws {
        // The shell dies once the hook has let go of its standard error; only then the hook's input ends.
        let script = """
            mkfifo input errors
            setpriv --pdeathsig TERM "$@" <input 2>errors &
            exec 3>input
            read -r <errors
            kill -KILL $$
            """
        // strace waits for what the shell leaves behind.
        let wrapper = ["/usr/bin/strace", "-f", "-o", "/dev/null", "-e", "trace=none"]
        let outcome = try hook.run(
            wrapper: wrapper + ["/bin/bash", "-c", script, "bash"], in: hook.directory.path)
        #expect(outcome.ending != .exited(0))
        #expect(outcome.entries.count == 1)
    }
}
