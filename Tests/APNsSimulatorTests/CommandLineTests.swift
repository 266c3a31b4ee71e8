import Foundation
import Posix
import TestSupport
import Testing

@testable import APNsSimulatorCommand

@Suite("The simulator's command line")
struct CommandLineTests {
    @Test("Without options it listens on Apple's other port and takes every topic")
    func defaults() throws {
        let options = try SimulatorOptions([])
        #expect(options.port == 2_197)
        #expect(options.maximumStreams == 1_000)
        #expect(options.topic == nil)
        #expect(options.environment == nil)
        #expect(options.chaosSeed == nil)
    }

    @Test("Every option is read")
    func everyOption() throws {
        let options = try SimulatorOptions([
            "--port", "0", "--directory", "d", "--script", "s", "--answer", "a = 200", "--answer", "b = 200",
            "--topic", "t", "--environment-only", "sandbox", "--streams", "5", "--chaos", "42",
        ])
        #expect(options.port == 0)
        #expect(options.directory == "d")
        #expect(options.scriptFile == "s")
        #expect(options.rules == ["a = 200", "b = 200"])
        #expect(options.topic == "t")
        #expect(options.environment == .sandbox)
        #expect(options.maximumStreams == 5)
        #expect(options.chaosSeed == 42)
    }

    @Test(
        "A command line that can't be understood ends with 64 and says which option",
        arguments: [
            (["--port"], "--port needs a value"),
            (["--port", "70000"], "--port is a number from 0 to 65535"),
            (["--port", "-1"], "--port is a number"), (["--streams", "many"], "--streams is a number"),
            (["--environment-only", "staging"], "production or sandbox"),
            (["--colour"], "unknown option --colour"),
            (["x"], "unknown option x"), (["--chaos", "monkey"], "--chaos is a number"),
            (["--answer", "connection 1 = dance"], "column 16: expected a step: answer, refuse"),
            (["--answer", "ab = 99"], "--answer ab = 99: column 6: expected a status"),
        ])
    func usage(arguments: [String], message: String) throws {
        let result = try RunningProgram.run(BuiltProgram.path("apns-simulator"), arguments)
        #expect(result.ending == .exited(64))
        #expect(result.errors.hasPrefix("apns-simulator: "))
        #expect(result.errors.contains(message))
        #expect(result.output.isEmpty)
    }

    @Test("A script that can't be read ends with 78 and names file, line and column")
    func script() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("script", "aa = 200\nbb = gone\n")
        for (path, message) in [
            (file, "\(file):2:6: expected a status"), ("/nowhere", "/nowhere: no such file"),
        ] {
            let result = try RunningProgram.run(BuiltProgram.path("apns-simulator"), ["--script", path])
            #expect(result.ending == .exited(78))
            #expect(result.errors.contains(message))
        }
    }

    @Test("A port that is taken ends with 69 and names it")
    func takenPort() throws {
        let directory = try TemporaryDirectory()
        let simulator = try SimulatedApple(in: directory)
        let result = try RunningProgram.run(
            BuiltProgram.path("apns-simulator"),
            ["--port", "\(simulator.port)", "--directory", directory.file("other")])
        #expect(result.ending == .exited(69))
        #expect(result.errors.contains("bind 127.0.0.1:\(simulator.port): Address already in use"))
    }

    @Test("A directory that can't be made or read ends with 73 and names it")
    func badDirectory() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("file", "")
        for path in [file, file + "/below"] {
            let result = try RunningProgram.run(
                BuiltProgram.path("apns-simulator"), ["--port", "0", "--directory", path])
            #expect(result.ending == .exited(73))
            #expect(result.errors.contains("\(path): "))
        }
    }

    @Test("A spoilt key file ends with 73 and isn't replaced")
    func spoiltKey() throws {
        let directory = try TemporaryDirectory()
        try directory.write("AuthKey.p8", "not a key\n")
        let result = try RunningProgram.run(
            BuiltProgram.path("apns-simulator"), ["--port", "0", "--directory", directory.path])
        #expect(result.ending == .exited(73))
        #expect(result.errors.contains("not a private key"))
        #expect(try String(contentsOfFile: directory.file("AuthKey.p8"), encoding: .utf8) == "not a key\n")
    }

    @Test("The version goes to standard output")
    func version() throws {
        let result = try RunningProgram.run(BuiltProgram.path("apns-simulator"), ["--version"])
        #expect(result.ending == .exited(0))
        #expect(result.output == "apns-simulator \(Version.text)\n")
    }

    @Test("Help goes to standard output, and names every option")
    func help() throws {
        let result = try RunningProgram.run(BuiltProgram.path("apns-simulator"), ["--help"])
        #expect(result.ending == .exited(0))
        for option in [
            "--port", "--directory", "--answer", "--script", "--chaos", "--topic", "--environment-only",
            "--streams",
        ] {
            #expect(result.output.contains(option))
        }
    }
}
