// swift-tools-version: 6.2
//
// Doorbell: rings a phone when mail lands. Programs are arrows (lower-case folders), libraries are boxes
// (UpperCamel folders), C libraries and their Swift skins live below Sources/Platform:
//
//     mail ──spool-enqueue──▶ Spool ──spool-drain──▶ Queue ──dispatch──▶ APNs
//                             files                  SQLite              HTTP/2

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Embedded Swift starts as fast as C; -wmo is what it needs in debug builds too, and -no-static-stdlib where the rest
/// is linked statically: it has no standard library to link.
let embedded: [SwiftSetting] =
    strict + [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Osize", "-no-static-stdlib"])]

func platform(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Platform/\(name)", swiftSettings: strict)
}

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: strict)
}

func program(_ target: String, path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: target, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: ["TestSupport"] + dependencies, path: "Tests/\(name)", exclude: data,
        swiftSettings: strict)
}

let package = Package(
    name: "doorbell",
    products: [
        .executable(name: "spool-enqueue", targets: ["SpoolEnqueueCommand"]),
        .executable(name: "spool-drain", targets: ["SpoolDrainCommand"]),
        // No target may be called `dispatch`: its entry point would become the symbol `dispatch_main`, which
        // libdispatch owns. Only the folder and the product carry the name.
        .executable(name: "dispatch", targets: ["DispatchCommand"]),
        .executable(name: "doorbell", targets: ["DoorbellCommand"]),
        .executable(name: "apns-simulator", targets: ["APNsSimulatorCommand"]),
    ],
    targets: [
        // The arrows, in the order mail takes.

        // Its folder links to Spool/Writing, JSONText.swift, Version.swift and ExitCode.swift: an Embedded program
        // can't import an ordinary module, so these sources are compiled twice, once for it and once as the modules
        // that others import.
        .executableTarget(
            name: "SpoolEnqueueCommand", dependencies: ["CLibc"], path: "Sources/spool-enqueue",
            swiftSettings: embedded, linkerSettings: [.unsafeFlags(["-no-static-stdlib"])]),
        program(
            "SpoolDrainCommand", path: "spool-drain",
            ["Spool", "SpoolDirectories", "Queue", "Settings", "Inotify", "Posix", "Reporting"]),
        program(
            "DispatchCommand", path: "dispatch",
            [
                "Queue", "TokenSealing", "APNs", "Settings", "IMAP", "Resolution", "HTTP2", "TLS", "JSON",
                "Posix",
                "Reporting",
            ]),
        program(
            "DoorbellCommand", path: "doorbell",
            [
                "Spool", "SpoolDirectories", "Queue", "TokenSealing", "APNs", "Resolution", "Settings",
                "JSON",
                "Posix",
            ]),
        program("APNsSimulatorCommand", path: "apns-simulator", ["HTTP2", "TLS", "JSON", "Posix"]),

        // The boxes.
        .target(
            name: "Spool", dependencies: ["CLibc", "JSON"], path: "Sources/Spool", exclude: ["Directory"],
            swiftSettings: strict),
        // Apart from what the hook compiles too: no module may see both the hook's C library and the ordinary one.
        .target(
            name: "SpoolDirectories", dependencies: ["Spool", "Posix"], path: "Sources/Spool/Directory",
            swiftSettings: strict),
        .target(
            name: "Queue", dependencies: ["SQLite", "Posix"], path: "Sources/Queue", exclude: ["Sealing"],
            swiftSettings: strict),
        // Apart from what the drain has: it needs no key, so it needs no OpenSSL.
        .target(
            name: "TokenSealing", dependencies: ["Queue", "APNs", "TLS", "Posix"],
            path: "Sources/Queue/Sealing", swiftSettings: strict),
        library("APNs", ["JSON"]),
        library("IMAP", ["Spool"]),
        library("Resolution", ["IMAP", "JSON", "Spool"]),
        library("Settings", ["TOML", "APNs", "Posix"]),

        // C libraries, each imported by one Swift skin only.
        .target(name: "CLibc", path: "Sources/Platform/CLibc"),
        .target(name: "CTOML", path: "Sources/Platform/CTOML", linkerSettings: [.linkedLibrary("stdc++")]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Platform/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CNghttp2", path: "Sources/Platform/CNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Platform/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        // libinotifytools has no .pc file.
        .systemLibrary(
            name: "CInotify", path: "Sources/Platform/CInotify", providers: [.apt(["libinotifytools0-dev"])]),
        .systemLibrary(name: "CPosix", path: "Sources/Platform/CPosix"),
        platform("Posix", ["CPosix"]),
        platform("JSON"),
        platform("SQLite", ["CSQLite"]),
        platform("TLS", ["COpenSSL"]),
        platform("HTTP2", ["CNghttp2"]),
        platform("Inotify", ["CInotify", "Posix"]),
        platform("TOML", ["CTOML"]),
        platform("Reporting", ["Posix"]),

        // Tests mirror the folders they test; no test target may depend on the Embedded program.
        .target(
            name: "TestSupport", dependencies: ["Posix", "JSON", "Queue", "TokenSealing"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("PosixTests", ["Posix"]),
        tests("JSONTests", ["JSON"]),
        tests("SQLiteTests", ["SQLite"]),
        tests("TLSTests", ["TLS"]),
        tests("HTTP2Tests", ["HTTP2"]),
        tests("InotifyTests", ["Inotify", "Posix"]),
        tests("SettingsTests", ["Settings", "APNs", "TOML", "Posix"]),
        tests("ReportingTests", ["Reporting", "Posix"]),
        tests("SpoolTests", ["Spool", "SpoolDirectories", "JSON", "Posix"]),
        tests("SpoolEnqueueTests", ["Spool"]),
        tests(
            "SpoolDrainTests",
            [
                "SpoolDrainCommand", "Spool", "SpoolDirectories", "Settings", "Queue", "SQLite", "Posix",
                "Reporting",
            ]),
        tests("QueueTests", ["Queue", "TokenSealing", "Posix", "SQLite"]),
        tests("APNsTests", ["APNs"]),
        tests("IMAPTests", ["IMAP", "Spool"]),
        tests("ResolutionTests", ["Resolution", "IMAP", "JSON", "Spool"]),
        tests(
            "DispatchTests",
            ["DispatchCommand", "APNs", "Queue", "SQLite", "Resolution", "TLS", "HTTP2", "JSON", "Posix"]),
        tests(
            "DoorbellTests",
            ["DoorbellCommand", "SpoolDirectories", "Queue", "SQLite", "APNs", "Settings", "JSON", "Posix"]),
        tests("APNsSimulatorTests", ["APNsSimulatorCommand", "HTTP2", "TLS", "JSON", "Posix"]),
        tests("EndToEndTests", ["APNs", "Queue", "SQLite", "TLS", "JSON", "Posix"]),
        tests(
            "FuzzingTests",
            ["Spool", "Settings", "APNs", "IMAP", "Resolution", "APNsSimulatorCommand", "Posix"],
            data: ["Corpus"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
