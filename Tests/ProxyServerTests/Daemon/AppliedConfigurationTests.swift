import LinuxSystem
import Logging
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// What the parts of a daemon have from its configuration, at the start and after a reload.
@Suite(.timeLimit(.minutes(1)))
struct AppliedConfigurationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func loaded(_ cache: String) throws -> LoadedConfiguration {
        let yaml = """
            listen: 127.0.0.1:0
            admin: { listen: "127.0.0.1:0" }
            workers: { count: 1 }
            log: { access: false }
            limits: { source-bytes: 4MiB }
            cache: { path: "\(folder.path)/cache", memory: 8MiB, \(cache) }

            """
        return LoadedConfiguration(configuration: try load(yaml))
    }

    @Test func `the quota of originals bounds bodies on their way to the disk, but not to less than one original`()
        throws
    {
        let parts = try DaemonParts(
            loaded("originals: 8MiB"),
            sockets: ActivatedSockets([]),
            time: SystemTime(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            logLevel: LogLevelCell(.error)
        )
        try parts.start()
        defer { parts.stop() }
        let ledger = parts.transfers.ledgers.disk
        #expect(ledger.limit == 8 << 20)
        for (quota, limit) in [("100MiB", 100), ("1MiB", 4)] {
            try parts.apply(loaded("originals: \(quota)"))
            #expect(ledger.limit == limit << 20, "\(quota)")
        }
    }
}
