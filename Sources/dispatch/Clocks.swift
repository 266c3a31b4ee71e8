internal import Posix

/// Where the dispatcher gets time and chance from; a test brings its own.
struct Clocks {
    /// Time since boot, for spans inside the process.
    var boot: () -> Duration
    /// Wall-clock time, for whatever outlives the process.
    var wall: () -> WallTime
    /// From 0 to 1, at random.
    var jitter: () -> Double
    /// Waits for the descriptors, or until a span has passed by `boot`.
    var wait: (inout Poller, Duration) throws(SystemCallError) -> Void

    /// The machine's own.
    static var system: Clocks {
        Clocks(
            boot: { BootClock.now }, wall: { WallTime.now }, jitter: { Double.random(in: 0...1) },
            wait: { (poller, timeout) throws(SystemCallError) in try poller.wait(timeout: timeout) })
    }
}
