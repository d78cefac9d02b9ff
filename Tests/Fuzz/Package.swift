// swift-tools-version: 6.2
import PackageDescription

/// The fuzz targets, and the modules that they test.
///
/// A package of its own, so that only these modules are built with instrumentation: `scripts/fuzz` passes `--sanitize fuzzer`.
/// It has the name of the main package, because modules share `package` declarations by that name.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
    .unsafeFlags(["-package-name", "edgeprint"]),
]

let package = Package(
    name: "edgeprint",
    targets: [
        .systemLibrary(name: "CZlib", path: "Modules/CZlib", pkgConfig: "zlib"),
        .target(name: "CLinux", path: "Modules/CLinux"),
        .target(
            name: "LinuxSystem",
            dependencies: ["CLinux", "CZlib"],
            path: "Modules/LinuxSystem",
            swiftSettings: settings
        ),
        .target(name: "HTTPSemantics", path: "Modules/HTTPSemantics", swiftSettings: settings),
        .target(
            name: "HTTPKit",
            dependencies: ["HTTPSemantics", "LinuxSystem", "CLinux"],
            path: "Modules/HTTPKit",
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLanes", path: "Modules/CLanes"),
        .target(name: "ImagePlan", path: "Modules/ImagePlan", swiftSettings: settings),
        .target(
            name: "Dialects",
            dependencies: ["HTTPSemantics", "ImagePlan"],
            path: "Modules/Dialects",
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["LinuxSystem", "CLinux", "CZlib"],
            path: "TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "HostileTestSupport",
            dependencies: ["CZlib", "TestSupport"],
            path: "HostileTestSupport",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "EdgeprintFuzz",
            dependencies: [
                "CLanes", "Dialects", "HTTPKit", "HTTPSemantics", "ImagePlan", "LinuxSystem", "HostileTestSupport",
                "TestSupport",
            ],
            // The folder Worker has decoders of the worker, which is a program that no other can import.
            exclude: ["Worker/ScaledJPEG/ScaledJPEG+Raster.swift", "Worker/Planes/PlanesEncoder.swift"],
            swiftSettings: settings
        ),
    ]
)
