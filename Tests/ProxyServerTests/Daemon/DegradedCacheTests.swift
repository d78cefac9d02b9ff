import Glibc
import TestSupport
import Testing

/// A daemon with an unusable disk cache.
@Suite(.timeLimit(.minutes(1)))
struct DegradedCacheTests {
    private let picture = TestImages.gradient(width: 40, height: 30)

    @Test func `serves without a disk cache, and reports that in /readyz, in its metrics and once in its log`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture, "b.png": picture]))
        // A file in place of the folder.
        let yaml = """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true }
            cache: { path: "/proc/version/cache", memory: 0 }

            """
        let daemon = try DaemonProcess(yaml, in: folder)
        for target in ["/photos/a.png?w=20", "/photos/a.png?w=20", "/photos/b.png"] {
            #expect(try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target).status == 200)
        }
        let ready = try daemon.waitUntilReady()
        #expect(ready.contains(#""ready":true"#) && ready.contains("degraded: /proc/version/cache: "), "\(ready)")
        #expect(daemon.logText.contains("set cache.path to another folder"))
        let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        #expect(metrics.contains("edgeprint_disk_healthy 0"))
        #expect(daemon.logText.split(separator: "\n").count { $0.contains("disk cache has failed") } == 1)
    }

    @Test func `/readyz reports a healthy disk cache`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        #expect(try rig.daemon.waitUntilReady().hasPrefix("{\"ready\":true,\"disk\":\"ok\",\"workers\":\"ok\""))
    }

    @Test func `logs once that a lost index is rebuilt`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        try rig.waitForStores(2)
        #expect(!rig.daemon.logText.contains("index was missing or damaged"))
        rig.daemon.killNow()
        for ending in ["", "-wal", "-shm"] { TemporaryFolder.delete(rig.folder.path + "/cache/index.sqlite" + ending) }
        try rig.restartAfterKill()
        try rig.daemon.waitForLog("index was missing or damaged")
        try rig.daemon.waitUntilReady()
        #expect(rig.daemon.logText.split(separator: "\n").count { $0.contains("index was missing or damaged") } == 1)
    }

    @Test func `does not start with a missing seed, and names the key`() throws {
        let folder = try TemporaryFolder()
        do {
            _ = try DaemonProcess(
                "cache: { path: \"\(folder.path)/cache\", seed: \"\(folder.path)/seed\" }\n",
                in: folder
            )
            Issue.record("it has started")
        } catch DaemonProcess.Failure.notStarted(_, let log) {
            #expect(log.contains("cache.seed") && log.contains(folder.path + "/seed"))
        }
    }

    @Test func `refuses the folder of another daemon`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let other = try TemporaryFolder()
        do {
            _ = try DaemonProcess(rig.yaml(), in: other)
            Issue.record("it has started")
        } catch DaemonProcess.Failure.notStarted(_, let log) {
            #expect(log.contains("in use by another daemon"))
        }
        #expect(try rig.get("/photos/a.png").status == 200)
    }
}
