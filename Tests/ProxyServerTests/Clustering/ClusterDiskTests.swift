import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// A node whose cache folder cannot be used.
@Suite(.timeLimit(.minutes(1)))
struct ClusterDiskTests {
    @Test func `purges that the disk cannot take have everything validated, and the node stays in touch`() throws {
        let rig = try ClusterRig(1)
        let folder = try TemporaryFolder()
        // A file in place of the folder.
        let node = try DaemonProcess("cache: { path: \"/proc/version/cache\" }\n" + rig.extra, in: folder)
        func get() throws -> RawHTTPResponse {
            try RawHTTPClient(port: node.port, timeoutMilliseconds: 30_000).get("/photos/cat.png")
        }
        func isInTouch() throws -> Bool {
            try RawHTTPClient(port: node.admin).get("/metrics").text.contains("\nedgeprint_cluster_in_touch 1\n")
        }
        try waitWhile(!isInTouch())
        for _ in 0..<2 { #expect(try get().status == 200) }
        #expect(rig.origin.requests == 1)
        // More than wait for a folder (`DiskRemovals.otherCapacity`).
        for number in 0...256 {
            #expect(try rig.post("{\"prefix\":\"/photos/p\(number)/\"}", to: 0).status == 200)
        }
        try node.waitForLog("the disk takes no purges")
        #expect(try get().status == 200)
        #expect(rig.origin.requests == 2 && rig.notModified == 1)
        try waitWhile(!isInTouch())
        #expect(try get()["Cache-Status"]?.contains("hit") == true)
        #expect(rig.origin.requests == 2)
    }
}
