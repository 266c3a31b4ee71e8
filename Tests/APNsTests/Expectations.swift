import APNs

/// Evaluates an expression that changes a machine, which `#expect` doesn't take as it is.
func result<Value>(_ value: Value) -> Value { value }

/// A connection whose server has sent its SETTINGS.
func opened(_ maximumStreams: Int = 100) -> ConnectionMachine {
    var machine = ConnectionMachine(now: .zero)
    machine.settingsReceived(maximumStreams: maximumStreams, now: .zero)
    return machine
}

extension LaneMachine {
    /// Asks as the loop does: a pause that is over ends, then so many deliveries may be in hand.
    mutating func turn(now: Duration, inHand: Int = 0) -> Int {
        endPause(now: now, inHand: inHand)
        return allowance(now: now, inHand: inHand)
    }
}

/// Stands in for SHA-1 and HMAC: other input, other bytes (FNV-1a, once for each byte of the answer).
func fakeHash(_ input: [UInt8], bytes count: Int) -> [UInt8] {
    (0..<count).map { index in
        var state: UInt64 = 0xcbf2_9ce4_8422_2325 &+ UInt64(index)
        for byte in input { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return UInt8(truncatingIfNeeded: state >> 40)
    }
}
