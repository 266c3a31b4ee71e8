internal import Glibc

extension BootClock {
    /// What tells this boot from every other, so that a time of this clock can be kept in a file; nil where the
    /// kernel doesn't say.
    public static var bootID: String? {
        guard let bytes = try? read("/proc/sys/kernel/random/boot_id"), bytes.count > 1 else { return nil }
        return String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self)
    }

    private static func read(_ path: String) throws(SystemCallError) -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY)
        return try file.read(upTo: 64)
    }
}
