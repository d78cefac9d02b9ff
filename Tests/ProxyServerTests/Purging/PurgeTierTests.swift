import TestSupport
import Testing

@testable import ProxyServer

/// Purges of one tier, and of the expired, against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct PurgeTierTests {
    private let picture = TestImages.gradient(width: 64, height: 48)
    private let target = "/photos/a.png?w=8&format=png"

    private func rig() throws -> EndToEndRig {
        try EndToEndRig(source: ", stale-if-error: 0s, stale-while-revalidate: 0s") { [picture] request, connection in
            let age = request.target.hasPrefix("/old") ? 1000 : 0
            connection.respond("200 OK", ["Cache-Control: max-age=600", "Age: \(age)"], body: picture)
        }
    }

    /// Originals, variants and entries in memory.
    private func purge(_ rig: EndToEndRig, _ order: String) throws -> [Int?] {
        let value = JSONValue(parsing: try rig.post("/purge", order).text)
        return ["originals", "variants", "memory"].map { value?[$0]?.int }
    }

    private func fill(_ rig: EndToEndRig) throws {
        #expect(try rig.get(target).status == 200)
        #expect(try rig.get("/photos/old.png?w=8&format=png").status == 200)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 2)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"originals\"}", is: 2)
    }

    @Test func `memory is cleared while the disk keeps its copies`() throws {
        let rig = try rig()
        try fill(rig)
        #expect(try purge(rig, #"{"tier":"memory","dry":true}"#) == [0, 0, 2])
        #expect(try purge(rig, #"{"tier":"memory"}"#) == [0, 0, 2])
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"memory\"}") == 0)
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=disk")
        #expect(try purge(rig, #"{"tier":"memory","url":"/photos/a.png"}"#) == [0, 0, 1])
        #expect(rig.origin.requests == 2)
    }

    @Test func `the disk is cleared while memory keeps its copies`() throws {
        let rig = try rig()
        try fill(rig)
        #expect(try purge(rig, #"{"tier":"disk","url":"/photos/a.png"}"#) == [1, 1, 0])
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=memory")
        #expect(try purge(rig, #"{"tier":"disk"}"#) == [1, 1, 0])
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"originals\"}") == 0)
        try rig.restartAfterKill(source: ", stale-if-error: 0s, stale-while-revalidate: 0s")
        #expect(try rig.cacheStatus(target) == "edgeprint; fwd=uri-miss")
    }

    @Test func `what has expired is removed from both tiers, and nothing else`() throws {
        let rig = try rig()
        try fill(rig)
        #expect(try purge(rig, #"{"expired":true,"dry":true}"#) == [1, 1, 1])
        #expect(try purge(rig, #"{"expired":true}"#) == [1, 1, 1])
        #expect(try purge(rig, #"{"expired":true}"#) == [0, 0, 0])
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/old.png?w=8&format=png") == "edgeprint; fwd=uri-miss")
    }

    @Test func `older-than is spelt as in the contract, or with an underscore`() throws {
        let rig = try rig()
        try fill(rig)
        #expect(try purge(rig, #"{"older-than":"1h"}"#) == [0, 0, 0])
        #expect(try purge(rig, #"{"older_than":"1h"}"#) == [0, 0, 0])
    }

    @Test func `what does not fit together is refused`() throws {
        let rig = try rig()
        for (order, expected) in [
            (#"{"tier":"memroy"}"#, "did you mean memory?"), (#"{"tier":"disk","soft":true}"#, "combined with tier"),
            (#"{"expired":true,"soft":true}"#, "no effect"), (#"{"expird":true}"#, "Did you mean expired?"),
        ] {
            let response = try rig.post("/purge", order)
            #expect(response.status == 400 && response.text.contains(expected), "\(response.text)")
        }
    }

    @Test func `the command purges a tier and the expired`() throws {
        let rig = try rig()
        try fill(rig)
        let admin = ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        let memory = try CommandRun(["purge", "--tier", "memory"] + admin)
        #expect(memory.code == 0 && memory.output.hasSuffix("from disk, 2 from memory\n"), "\(memory)")
        let expired = try CommandRun(["purge", "--expired"] + admin)
        #expect(expired.output.hasPrefix("expired: removed 1 originals and 1 variants"), "\(expired)")
        for arguments in [["--tier", "memry"], ["--expired", "--soft"], ["--expired", "--all"]] {
            #expect(try CommandRun(["purge"] + arguments + admin).code == 64)
        }
    }
}
