internal import Glibc
internal import Posix
internal import TLS

/// A strict stand-in for Apple's push service: for demonstrations, tests, and whoever has no key yet.
///
/// Exit codes: 0 stopped by SIGTERM or SIGINT, 64 usage, 69 the port can't be had, 70 a fault of this program or
/// of the system below it, 73 its files can't be made, 74 standard output is gone, 78 the script is wrong.
@main
struct APNsSimulatorCommand {
    static func main() {
        StandardStreams.fill()
        do {
            try run(try SimulatorOptions(Array(CommandLine.arguments.dropFirst())))
        } catch let error as SimulatorOptions.UsageError {
            fail(.usage, error)
        } catch let lost as RecordOutput.Lost {
            fail(.inputOutput, lost)
        } catch {
            fail(.software, error)
        }
    }

    private static func run(_ options: SimulatorOptions) throws {
        let output = RecordOutput()
        if let answer = options.answer { return try output.write(Array(answer.utf8)) }
        let script = script(options)
        let (files, context) = files(options.directory)
        endOnSignals()
        let listener = listener(options.port)
        try output.write(files.greeting(port: listener.port))
        var loop = SimulatorLoop(
            listener: listener, context: context,
            examination: RequestExamination(
                key: try files.signingKey.publicKey, keyID: SimulatorFiles.keyID,
                teamID: SimulatorFiles.teamID, topic: options.topic, environment: options.environment),
            script: script, chaos: options.chaosSeed.map(Chaos.init), maximumStreams: options.maximumStreams,
            output: output)
        try loop.run()
    }

    /// There is nothing to save, and a reader who has stopped reading our output mustn't hold up the end.
    ///
    /// Whoever starts a program from a thread that blocks signals hands that on, so it is undone.
    private static func endOnSignals() {
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        signal(SIGPIPE, SIG_IGN)
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private static func script(_ options: SimulatorOptions) -> Script {
        var script = Script()
        for rule in options.rules {
            do {
                try script.add(line: Substring(rule))
            } catch {
                fail(.usage, "--answer \(rule): \(error)")
            }
        }
        guard let file = options.scriptFile else { return script }
        do {
            guard let bytes = try SimulatorFiles.read(file) else {
                fail(.configuration, "\(file): no such file")
            }
            try script.add(lines: String(decoding: bytes, as: UTF8.self))
        } catch let fault as ScriptFault {
            fail(.configuration, "\(file):\(fault)")
        } catch {
            fail(.configuration, error)
        }
        return script
    }

    private static func files(_ directory: String) -> (SimulatorFiles, TLSContext) {
        do {
            let files = try SimulatorFiles(directory: directory)
            let context = try TLSContext.server(
                certificatePEM: files.certificatePEM, keyPEM: files.certificateKeyPEM)
            return (files, context)
        } catch {
            fail(.cannotCreate, "\(directory): \(error)")
        }
    }

    private static func listener(_ port: UInt16) -> LoopbackListener {
        do {
            return try LoopbackListener(port: port)
        } catch {
            fail(.unavailable, error)
        }
    }

    private static func fail(_ code: ExitCode, _ why: Any) -> Never {
        StandardError.tell("\(why)")
        exit(code.rawValue)
    }
}
