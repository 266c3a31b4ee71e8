import Foundation

/// What a process takes of the system.
struct ProcessUse {
    private let directory: String
    /// The most descriptors seen open at once.
    private(set) var mostDescriptors = 0

    init(of process: Int32) { directory = "/proc/\(process)" }

    /// Looks once.
    mutating func look() throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd").count
        mostDescriptors = max(mostDescriptors, open)
    }

    /// The most memory that it has had in use so far, in megabytes (VmHWM, proc_pid_status(5)).
    func mostMemory() throws -> Int {
        let status = try String(contentsOfFile: "\(directory)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map {
            $0 / 1_024
        } ?? 0
    }
}
