import TestSupport
import Testing

/// Variants that are on disk and not in memory.
@Suite(.timeLimit(.minutes(1)))
struct OpenFileTests {
    @Test func `serves from the open file without a lookup, until it is purged`() throws {
        let picture = TestImages.gradient(width: 40, height: 30)
        let rig = try EndToEndRig(source: ", cache: disk", script: ScriptedOrigin.pictures(["a.png": picture]))
        let target = "/photos/a.png?w=20&format=png"
        let first = try rig.get(target)
        // Before it is stored, the look-up by its resolved key may find it first, which opens no file for later requests.
        try rig.waitForStores(2)
        try waitWhile(rig.cacheStatus(target)?.contains("hit; detail=disk") != true)
        // The file is unlinked, but its bytes are still readable.
        TemporaryFolder.delete(rig.folder.path + "/cache/variants")
        let open = try rig.get(target)
        #expect(open["Cache-Status"]?.contains("hit; detail=disk") == true)
        #expect(open.body == first.body && open["ETag"] == first["ETag"])
        let part = try rig.get(target, [("Range", "bytes=5-9")])
        #expect(part.status == 206 && part.body == Array(first.body[5...9]))
        let purge = try RawHTTPClient(port: rig.daemon.admin).post("/purge", #"{"url":"/photos/a.png"}"#)
        #expect(purge.status == 200)
        let after = try rig.get(target)
        #expect(after.status == 200 && after["Cache-Status"]?.contains("fwd") == true)
        #expect(after.body == first.body)
    }
}
