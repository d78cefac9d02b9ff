import HTTPSemantics
import LinuxSystem
import Logging
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct NodeMemoryTests {
    @Test func `answers of owners count in the accounts of originals`() throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.respond("200 OK", [], body: [UInt8](repeating: 5, count: 3_000))
        }
        let configuration = try load("cluster: { nodes: [\"127.0.0.1:1\"], token: 0123456789abcdef }")
        let ledgers = BodyLedgers(memory: 4_000, disk: 0)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let made = try ClusterNodes(configuration, folder: nil, ledgers: ledgers, time: SystemTime(), logger: logger)
        let nodes = try #require(made)
        defer { nodes.stop() }
        var options = TransferOptions(source: "cluster")
        options.allowPrivate = true
        let request = TransferRequest(.url(try OriginURL(origin.url + "/a")), options: options)
        func answer() throws -> Result<TransferResponse, TransferError> {
            let ended = Signal<Result<TransferResponse, TransferError>?>(nil)
            _ = nodes.transfers.load(request, arrival: nil) { result in ended.update { $0 = result } }
            _ = try ended.wait { $0 != nil }
            return try #require(ended.value)
        }
        let first = try answer().get()
        #expect(ledgers.memory.used == 3_000)
        // The second has no room beside it.
        guard case .failure(.overloaded) = try answer() else {
            Issue.record("not refused")
            return
        }
        withExtendedLifetime(first) {}
    }
}
