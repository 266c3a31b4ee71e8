/// What became of a settlement.
public enum Settled: Equatable, Sendable {
    /// It was carried out whole.
    case done
    /// The device registered while the answer was on its way: it is left alone, and the delivery, instead of
    /// ending, is due again at once, uncharged, for the device as it is now.
    case deviceKept
    /// The delivery was no longer as it was taken; it and its device were left alone.
    case someoneElseWasFaster
}
