import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Daemons with a log and a store, and without owners, that are asked for the same cold original at once.
///
/// A lease is advice: on a machine that gives the log no time for 50 ms there is none. Such rounds are repeated with another original.
@Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: RedisServer.isEnabled && SeaweedFS.isWanted, "Valkey or SeaweedFS is not installed")
)
struct ClusterLeaseTests {
    private let leases = "edgeprint_cluster_leases_total"
    private let rig: ClusterRig

    init() throws {
        rig = try ClusterRig(2, endpoint: SeaweedFS.shared().endpoint, prefix: SeaweedFS.prefix())
    }

    /// Requests that run on threads of their own.
    private final class Requests: Sendable {
        private let answers = Signal<[Result<RawHTTPResponse, any Error>]>([])
        private let count: Int

        init(_ target: String, of nodes: [DaemonProcess], each: Int) throws {
            let ports = nodes.flatMap { node in (0..<each).map { _ in node.port } }
            count = ports.count
            for port in ports {
                try SystemThread.start(name: "client") { [answers] in
                    let answer = Result { try RawHTTPClient(port: port, timeoutMilliseconds: 30_000).get(target) }
                    answers.update { $0.append(answer) }
                }
            }
        }

        func all() throws -> [RawHTTPResponse] {
            try answers.wait { $0.count == count }.map { try $0.get() }
        }
    }

    private func results(_ result: String) throws -> Double {
        try rig.nodes.indices.reduce(0) { try $0 + (rig.sum(leases, "result=\"\(result)\"", of: $1) ?? 0) }
    }

    private func waitUntil(_ index: Int, hasRequests count: Double) throws {
        try waitWhile(rig.metric("edgeprint_requests_in_flight", of: index) ?? 0 < count)
    }

    @Test func `without owners, too, a cold original is downloaded once`() throws {
        var found = 0.0
        for round in 0... {
            let downloads = rig.origin.requests
            let hindered = try results("unavailable") + results("expired")
            rig.isHeld = true
            // Each node makes the variant, which it may also find.
            let requests = try Requests("/photos/\(round).png?w=2&format=png", of: rig.nodes, each: 8)
            for index in rig.nodes.indices { try waitUntil(index, hasRequests: 8) }
            rig.isHeld = false
            let answers = try requests.all()
            #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body }, "\(answers)")
            let isHindered = try results("unavailable") + results("expired") > hindered
            if !isHindered { #expect(rig.origin.requests == downloads + 1) }
            found = try results("found")
            // A node that was late has found the original without having waited.
            if !isHindered, found > 0 { break }
        }
        #expect(found > 0)
    }

    @Test func `if the node that downloads is killed, another one does once the lease is over`() throws {
        for round in 0... {
            let downloads = rig.origin.requests
            let taken = try results("taken")
            rig.isHeld = true
            let target = "/photos/\(round).png?w=2&format=png"
            let first = try Requests(target, of: [rig.nodes[0]], each: 1)
            try waitWhile(rig.origin.requests == downloads)
            let second = try Requests(target, of: [rig.nodes[1]], each: 1)
            try waitUntil(1, hasRequests: 1)
            guard try results("taken") == taken + 1, rig.origin.requests == downloads + 1 else {
                rig.isHeld = false
                _ = try (first.all(), second.all())
                continue
            }
            rig.nodes[0].killNow()
            #expect(throws: (any Error).self) { try first.all() }
            try waitWhile(rig.origin.requests < downloads + 2)
            rig.isHeld = false
            #expect(try second.all().map(\.status) == [200])
            #expect(rig.origin.requests == downloads + 2)
            break
        }
    }

    @Test func `without the log both nodes download, and nothing fails`() throws {
        rig.log.kill()
        for target in ["/photos/a.png?w=2&format=png", "/photos/b.png?w=2&format=png"] {
            let downloads = rig.origin.requests
            rig.isHeld = true
            let requests = try Requests(target, of: rig.nodes, each: 1)
            // At once: they do not wait for each other.
            try waitWhile(rig.origin.requests < downloads + 2)
            rig.isHeld = false
            #expect(try requests.all().allSatisfy { $0.status == 200 })
            #expect(rig.origin.requests == downloads + 2)
            for index in rig.nodes.indices { try rig.waitUntil(index, isInTouch: false) }
        }
        #expect(try results("taken") == 0)
    }
}
