// swift-tools-version: 6.2
import PackageDescription

/// Set by `make lint` and CI only: a newer compiler's new warnings must not break a user's build.
let strict = Context.environment["EDGEPRINT_STRICT"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// A product of another package, which only the programs need.
func server(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
}

/// Of targets with loops over pixels and bytes, which take ten times as long without optimisation, and so would most tests.
let optimized = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "edgeprint",
    // Of EdgeprintURL, the only product for other systems than Linux.
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "edgeprint", targets: ["ProxyServer"]),
        .executable(name: "edgeprint-worker", targets: ["ImageWorker"]),
        // For apps: builds URLs and reads responses. Its targets import neither C libraries nor other packages.
        .library(name: "EdgeprintURL", targets: ["EdgeprintURL"]),
    ],
    // Off in apps that depend on EdgeprintURL alone: SwiftPM then fetches no other package.
    traits: [
        .trait(name: "Server", description: "The programs, with the packages that they need."),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // C: only what Swift cannot import (variadics, macros, feature-test gated calls).
        .target(name: "CLinux"),
        .systemLibrary(name: "CLanes"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // "gobject-2.0" instead of "vips": vips.pc contains -pthread, about which SwiftPM warns in each build.
        .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"])]),
        // Without pkgConfig: libavif.pc and libjxl.pc carry -D flags, which SwiftPM reports at each build.
        .systemLibrary(name: "CAVIF", providers: [.apt(["libavif-dev"])]),
        .systemLibrary(name: "CJXL", providers: [.apt(["libjxl-dev"])]),
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        // Without pkgConfig: libseccomp.pc has no flags but the library's name, which the module map states.
        .systemLibrary(name: "CSeccomp", providers: [.apt(["libseccomp-dev"])]),
        // Without pkgConfig: hiredis.pc of Debian 12 has a -D flag.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Swift, lowest layer first.
        .target(name: "LinuxSystem", dependencies: ["CLinux", "CZlib"], swiftSettings: settings),
        .target(name: "HTTPSemantics", swiftSettings: settings),
        .target(name: "HTTPKit", dependencies: ["HTTPSemantics", "LinuxSystem", "CLinux"], swiftSettings: settings),
        .target(
            name: "OriginTransfer",
            dependencies: ["HTTPSemantics", "LinuxSystem", "CLinux", "CCurl", "CCrypto"],
            swiftSettings: settings
        ),
        .target(
            name: "HTTPCache",
            dependencies: ["HTTPSemantics", "LinuxSystem", "CLinux", "CCrypto", "CSQLite"],
            swiftSettings: settings
        ),
        .target(
            name: "Cluster",
            dependencies: [
                "HTTPCache", "HTTPSemantics", "LinuxSystem", "OriginTransfer", "CLinux", "CCrypto", "CHiredis",
            ],
            swiftSettings: settings
        ),
        .target(name: "ImagePlan", swiftSettings: settings),
        // The language for apps, which read no other module.
        .target(name: "EdgeprintURL", dependencies: ["ImagePlan"], swiftSettings: settings),
        // Other servers' request languages, in ours.
        .target(name: "Dialects", dependencies: ["HTTPSemantics", "ImagePlan"], swiftSettings: settings),
        .target(
            name: "ImagePipeline",
            dependencies: [
                "HTTPCache", "HTTPSemantics", "ImagePlan", "LinuxSystem", "OriginTransfer", "CLinux", "CCrypto",
                "CSQLite",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WorkerSandbox",
            dependencies: ["ImagePlan", "CLinux", "CSeccomp"],
            swiftSettings: settings
        ),
        // The web application of the admin listener: files that are compiled into the program.
        .target(
            name: "AdminPages",
            resources: [.embedInCode("Files")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ImageWorker",
            dependencies: [
                "ImagePlan", "LinuxSystem", "WorkerSandbox", "CAVIF", "CJXL", "CLanes", "CLinux", "CLCMS", "CVips",
                "CWebP", "CZlib",
            ],
            swiftSettings: optimized
        ),
        .executableTarget(
            name: "ProxyServer",
            dependencies: [
                "AdminPages", "Cluster", "Dialects", "HTTPCache", "HTTPKit", "HTTPSemantics", "ImagePlan",
                "ImagePipeline",
                "LinuxSystem", "OriginTransfer",
                "CCurl",
                "CLinux", "CCrypto",
                server("ArgumentParser", "swift-argument-parser"),
                server("Logging", "swift-log"),
                server("Yams", "Yams"),
            ],
            swiftSettings: settings
        ),

        // Compares eviction policies; see Benchmarks/README.md.
        .executableTarget(
            name: "CacheReplay",
            dependencies: ["HTTPCache"],
            path: "Benchmarks/CacheReplay",
            swiftSettings: settings
        ),

        // Tests: one target per module, and shared support.
        .target(
            name: "TestSupport",
            dependencies: ["LinuxSystem", "CLinux", "CZlib"],
            path: "Tests/TestSupport",
            swiftSettings: optimized
        ),
        .testTarget(
            name: "LinuxSystemTests",
            dependencies: ["LinuxSystem", "CLinux", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPSemanticsTests",
            dependencies: ["HTTPSemantics", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPKitTests",
            dependencies: ["HTTPKit", "HTTPSemantics", "LinuxSystem", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OriginTransferTests",
            dependencies: ["OriginTransfer", "HTTPSemantics", "LinuxSystem", "CLinux", "TestSupport"],
            swiftSettings: settings
        ),
        // Records, stores and file systems for tests of the cache and of modules above it.
        .target(
            name: "CacheTestSupport",
            dependencies: ["HTTPCache", "HTTPSemantics", "LinuxSystem", "CLinux", "TestSupport"],
            path: "Tests/CacheTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPCacheTests",
            dependencies: ["HTTPCache", "CacheTestSupport", "HTTPSemantics", "LinuxSystem", "CLinux", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ClusterTests",
            dependencies: [
                "Cluster", "CacheTestSupport", "HTTPCache", "HTTPSemantics", "LinuxSystem", "OriginTransfer",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .target(name: "CEscapes", path: "Tests/HostileWorker/Escapes"),
        // A worker that is locked as edgeprint-worker is, and then tries to escape.
        .executableTarget(
            name: "HostileWorker",
            dependencies: ["WorkerSandbox", "ImagePlan", "CEscapes", "CLinux"],
            path: "Tests/HostileWorker/Main",
            swiftSettings: settings
        ),
        // Files that are designed to harm decoders, for tests and for the fuzz targets in Tests/Fuzz.
        .target(
            name: "HostileTestSupport",
            dependencies: ["CZlib", "TestSupport"],
            path: "Tests/HostileTestSupport",
            swiftSettings: optimized
        ),
        .testTarget(
            name: "ImagePlanTests",
            dependencies: ["ImagePlan", "HostileTestSupport", "TestSupport"],
            swiftSettings: settings
        ),
        // Source examples for image libraries, compiled against what they use of these libraries.
        .target(
            name: "AdapterExamples",
            dependencies: ["EdgeprintURL"],
            path: "clients/swift",
            swiftSettings: settings
        ),
        .testTarget(
            name: "EdgeprintURLTests",
            dependencies: ["AdapterExamples", "EdgeprintURL", "ImagePlan"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DialectsTests",
            // OriginTransfer: HMAC.
            dependencies: ["Dialects", "ImagePlan", "OriginTransfer", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ImagePipelineTests",
            // ImageWorker, HostileWorker: the tests run their executables.
            dependencies: [
                "Cluster", "ImagePipeline", "ImagePlan", "ImageWorker", "HostileWorker", "HTTPCache", "HTTPSemantics",
                "LinuxSystem",
                "OriginTransfer",
                "CLinux", "CacheTestSupport", "TestSupport",
            ],
            // A cache folder written by an earlier release.
            exclude: ["Samples"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ImageWorkerTests",
            dependencies: [
                "ImageWorker", "ImagePlan", "LinuxSystem", "CAVIF", "CJXL", "CLinux", "CLCMS", "CVips", "CWebP",
                "CZlib",
                "HostileTestSupport", "TestSupport",
            ],
            // Golden images, and files that tests cannot generate.
            exclude: ["Golden", "Samples"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProxyServerTests",
            dependencies: [
                "ProxyServer", "AdminPages", "Cluster", "Dialects", "EdgeprintURL", "HTTPCache", "HTTPKit",
                "HTTPSemantics",
                "ImagePipeline",
                "ImagePlan", "LinuxSystem", "OriginTransfer",
                "HostileTestSupport", "TestSupport",
                server("ArgumentParser", "swift-argument-parser"),
                server("Logging", "swift-log"),
                server("Yams", "Yams"),
            ],
            swiftSettings: settings
        ),
    ]
)
