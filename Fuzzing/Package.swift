// swift-tools-version: 6.2
//
// The readers of what others write, once more, built for libFuzzer: `make fuzz` runs scripts/fuzz, which builds this.
// A package of its own, because the simulator is a program in the other one, and here a library without its start.

import PackageDescription

/// Everything is watched, as it is shipped: optimized.
let watched: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])]

func library(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], without left: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(path)", exclude: left,
        swiftSettings: watched)
}

func system(_ name: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, path: "Sources/Platform/\(name)", pkgConfig: pkgConfig)
}

let package = Package(
    name: "fuzzing",
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Spool", "Settings", "APNs", "IMAP", "Resolution", "APNsSimulatorCommand", "Posix",
            ],
            path: "Fuzz", swiftSettings: watched, linkerSettings: [.unsafeFlags(["-sanitize=address"])]),

        library("JSON", "Platform/JSON"),
        library("Posix", "Platform/Posix", ["CPosix"]),
        library("TOML", "Platform/TOML", ["CTOML"]),
        library("TLS", "Platform/TLS", ["COpenSSL"]),
        library("HTTP2", "Platform/HTTP2", ["CNghttp2"]),
        library("Spool", "Spool", ["CLibc", "JSON"], without: ["Directory"]),
        library("APNs", "APNs", ["JSON"]),
        library("IMAP", "IMAP", ["Spool"]),
        library("Resolution", "Resolution", ["IMAP", "JSON", "Spool"]),
        library("Settings", "Settings", ["TOML", "APNs", "Posix"]),
        library(
            "APNsSimulatorCommand", "apns-simulator", ["HTTP2", "TLS", "JSON", "Posix"],
            without: ["APNsSimulatorCommand.swift"]),

        .target(name: "CLibc", path: "Sources/Platform/CLibc"),
        .target(
            name: "CTOML", path: "Sources/Platform/CTOML",
            cxxSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
        system("CPosix"),
        system("CNghttp2", pkgConfig: "libnghttp2"),
        system("COpenSSL", pkgConfig: "openssl"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
