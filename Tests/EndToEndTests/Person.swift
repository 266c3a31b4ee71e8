import Foundation

/// Somebody whom programs run as.
struct Person: Sendable {
    let name: String
    let uid: UInt32
    let gid: UInt32
    let home: String

    /// Whoever runs the tests, with a home that is a test's own.
    static func caller(home: String) -> Person {
        Person(name: NSUserName(), uid: geteuid(), gid: getegid(), home: home)
    }
}
