import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Daemons that share a log in a real Valkey and a store in SeaweedFS.
@Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: RedisServer.isEnabled && SeaweedFS.isWanted, "Valkey or SeaweedFS is not installed")
)
struct ClusterStoreTests {
    private let target = "/photos/cat.png?w=2&format=png"
    private let reads = "edgeprint_cluster_store_reads_total"
    private let writes = "edgeprint_cluster_store_writes_total"

    @Test func `a node uses what another has downloaded and made, until a purge`() throws {
        let rig = try ClusterRig(2, endpoint: SeaweedFS.shared().endpoint, prefix: SeaweedFS.prefix())
        let first = try rig.get(target, from: 0)
        #expect(first.status == 200)
        // The original's record and the result.
        try waitWhile(rig.sum(writes, "result=\"written\"", of: 0) != 2)
        let second = try rig.get(target, from: 1)
        #expect(second.status == 200 && second.body == first.body)
        #expect(rig.origin.requests == 1)
        #expect(try rig.sum(reads, "result=\"hit\"", of: 1) == 2)
        #expect(try rig.sum("edgeprint_transforms_total", of: 1) == 0)
        // Its copy is its own now: a hit asks nobody.
        #expect(try rig.get(target, from: 1)["Cache-Status"]?.hasPrefix("edgeprint; hit") == true)
        rig.version = 2
        #expect(try rig.purge("/photos/cat.png?wait=all", on: 0).status == 200)
        let after = try rig.get(target, from: 1)
        #expect(after.status == 200 && after.body != first.body)
        #expect(rig.origin.requests == 2)
        #expect(try rig.get(target, from: 0).body == after.body)
    }

    @Test func `a node makes a picture of another's mezzanine, without the original`() throws {
        let large = TestImages.gradient(width: 2000, height: 1600)
        let rig = try ClusterRig(2, endpoint: SeaweedFS.shared().endpoint, prefix: SeaweedFS.prefix(), results: "1h") {
            _ in
            large
        }
        #expect(try rig.get("/photos/large.png?w=500&format=png", from: 0).status == 200)
        // The original and its mezzanine.
        try waitWhile(rig.sum(writes, "result=\"written\"", of: 0) != 2)
        let target = "/photos/large.png?w=400&format=png"
        let picture = try rig.get(target, from: 1)
        #expect(picture.status == 200)
        #expect(rig.origin.requests == 1)
        // The record and the mezzanine, and neither a result nor the content of the original.
        #expect(try rig.sum(reads, "result=\"hit\"", of: 1) == 2)
        #expect(try rig.sum(reads, "result=\"miss\"", of: 1) == 1)
        #expect(try rig.metric("edgeprint_mezzanine_hits_total", of: 1) == 1)
        // The first node makes the same of its own.
        #expect(try rig.get(target, from: 0).body == picture.body)
        #expect(try rig.metric("edgeprint_mezzanine_hits_total", of: 0) == 1)
        #expect(rig.origin.requests == 1)
    }

    @Test func `a node that joins validates what it cannot know to be current`() throws {
        let engine = try SeaweedFS.shared()
        let prefix = try SeaweedFS.prefix()
        let rig = try ClusterRig(1, endpoint: engine.endpoint, prefix: prefix)
        let first = try rig.get(target, from: 0)
        try waitWhile(rig.sum(writes, "result=\"written\"", of: 0) != 2)
        #expect(try rig.purge("/photos/other.png?wait=all", on: 0).status == 200)
        let index = try rig.add()
        let answer = try rig.get(target, from: index)
        #expect(answer.status == 200 && answer.body == first.body)
        // One conditional request, no download, no transform.
        #expect(rig.origin.requests == 2 && rig.notModified == 1)
        #expect(try rig.sum("edgeprint_transforms_total", of: index) == 0)
    }

    @Test func `without the store and the log, nothing fails`() throws {
        let engine = try SeaweedFS()
        let rig = try ClusterRig(2, endpoint: engine.endpoint, prefix: "dead/", budget: "200ms")
        let first = try rig.get(target, from: 0)
        try waitWhile(rig.sum(writes, "result=\"written\"", of: 0) != 2)
        engine.freeze()
        rig.log.kill()
        for index in rig.nodes.indices { try rig.waitUntil(index, isInTouch: false) }
        for index in rig.nodes.indices {
            for target in [target, "/photos/dog.png?w=2&format=png"] {
                let answer = try rig.get(target, from: index)
                #expect(answer.status == 200 && answer.body == first.body, "\(answer)")
            }
        }
        engine.thaw()
        try rig.log.start()
        for index in rig.nodes.indices { try rig.waitUntil(index, isInTouch: true) }
        // The writers retry when their breaker lets them.
        _ = try rig.get("/photos/new.png?w=2&format=png", from: 0)
        try waitWhile(rig.sum(writes, "result=\"written\"", of: 0) ?? 0 < 4)
    }
}
