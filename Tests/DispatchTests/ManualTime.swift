import APNs
import Posix

@testable import DispatchCommand

/// A clock that goes by what happens instead of by the hour.
///
/// It creeps by a millisecond a turn while anything moves, and else jumps to the time for which the loop wants to be
/// woken. So an hour costs what happens in it and nothing more.
final class ManualTime {
    /// Time since boot.
    var boot: Duration = .seconds(5000)
    /// By how much somebody has set the wall clock.
    var wallSetBy: Duration = .zero
    /// How far it jumps at most: for a server that does something by itself in between.
    var longestJump: Duration?
    /// What the wall clock shows.
    var wall: WallTime { WallTime(milliseconds: 1_790_000_000_000).advanced(by: boot + wallSetBy) }
    /// The connections of the loop that waits.
    var connections: () -> [APNsConnection] = { [] }
    /// The mail server, where there is one, and whether the loop waits for it.
    var mailServer: ScriptedIMAP?
    var asksMailServer: () -> Bool = { false }
    private let apple: ScriptedApple

    init(apple: ScriptedApple) { self.apple = apple }

    /// For the loop.
    var clocks: Clocks {
        Clocks(
            boot: { self.boot }, wall: { self.wall }, jitter: { 0 },
            wait: { (poller, timeout) throws(SystemCallError) in try self.wait(&poller, timeout) })
    }

    private func wait(_ poller: inout Poller, _ timeout: Duration) throws(SystemCallError) {
        do {
            try apple.pump()
            try mailServer?.pump()
        } catch {
            preconditionFailure("the scripted server failed: \(error)")
        }
        apple.watch(with: &poller)
        mailServer?.watch(with: &poller)
        // The resolver's thread runs by real time, and the kernel's loopback may need a moment.
        let isResolving = connections().contains { if case .lookingUp = $0.phase { true } else { false } }
        let isBusy =
            asksMailServer()
            || connections().contains { $0.machine.isOpening || $0.machine.openStreams > 0 }
        try poller.wait(timeout: isResolving ? .seconds(10) : isBusy ? min(timeout, .milliseconds(1)) : .zero)
        boot += poller.hasFound ? .milliseconds(1) : min(timeout, longestJump ?? timeout)
    }
}
