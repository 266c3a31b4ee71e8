/// A TCP port of 127.0.0.1 that was free a moment ago, for programs that can't be told to take any.
///
/// Another program may be faster, so whoever starts one there tries again with the next.
public func freePort() throws -> Int { Int(try LoopbackPort().number) }
