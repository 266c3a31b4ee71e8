import Glibc

/// Makes up input for the reader that DOORBELL_READER names, until a promise of it is broken or the time is over.
///
/// The arguments are libFuzzer's (https://llvm.org/docs/LibFuzzer.html).
@main
enum Fuzz {
    static func main() {
        guard let name = getenv("DOORBELL_READER"), Reader(rawValue: String(cString: name)) != nil else {
            print("DOORBELL_READER is none of \(Reader.allCases.map(\.rawValue).joined(separator: ", "))")
            exit(EX_USAGE)
        }
        var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
        exit(runDriver(&count, &arguments, check))
    }
}

/// Chosen once: libFuzzer's callback can't be told.
private let reader = getenv("DOORBELL_READER").flatMap { Reader(rawValue: String(cString: $0)) }

private let check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = { bytes, count in
    do throws(BrokenPromise) {
        try reader?.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// libFuzzer's own main, for programs that have another (FuzzerInterface.h of LLVM's compiler-rt).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
