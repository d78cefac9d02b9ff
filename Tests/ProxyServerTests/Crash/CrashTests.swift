import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

/// Repeated kill -9 under load; `make crash` runs it longer and with the release build.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct CrashTests {
    private let rounds = Int(TestEnvironment.value("EDGEPRINT_CRASH_ROUNDS") ?? "") ?? 3

    @Test func `survives kill -9 under load without wrong bytes, errors or lasting orphans`() throws {
        let origin = CrashOrigin()
        let rig = try EndToEndRig(script: origin.script)
        let load = CrashLoad(origin: origin)
        try learn(rig, load, origin)
        var generator = SeededGenerator(seed: 42)
        var findings: [DiskDamage.Kind: Int] = [:]
        var slowest: Int64 = 0
        let clock = SystemTime()
        for round in 0..<rounds {
            try load.start(port: rig.daemon.port, admin: rig.daemon.admin, clients: 4, seed: UInt64(round) << 20)
            usleep(useconds_t.random(in: 100_000...600_000, using: &generator))
            rig.daemon.killNow()
            load.stop()
            for (kind, count) in try check(rig).found { findings[kind, default: 0] += count }
            let start = clock.monotonic
            try rig.restartAfterKill()
            slowest = max(slowest, clock.monotonic - start)
            for number in 0..<CrashOrigin.pictures {
                for width in CrashLoad.widths { _ = try load.compare(number, width, port: rig.daemon.port) }
                _ = try load.compare(number, nil, port: rig.daemon.port)
            }
            guard round % 10 == 9 || round == rounds - 1 else { continue }
            // After a normal stop, background work must have cleaned up.
            rig.daemon.signal(SIGTERM)
            #expect(rig.daemon.waitForExit() == 0)
            let sound = try check(rig)
            #expect(sound.isSound, "round \(round): \(sound.found)")
            try rig.restartAfterKill()
        }
        let tally = load.tally
        #expect(tally.wrong.isEmpty && tally.failures.isEmpty)
        #expect(tally.diskHits > 0)
        // A killed process may leave temporary files and orphans, but never a wrong row.
        #expect(Set(findings.keys).isSubset(of: [.orphan, .leftover]), "\(findings)")
        print(
            """
            kill -9: \(rounds) rounds, \(tally.answers) answers compared, \(tally.diskHits) from disk, \(tally.purges) purges; \
            \(tally.wrong.count) wrong, \(tally.failures.count) errors; found after the kills \
            \(findings[.orphan] ?? 0) orphans and \(findings[.leftover] ?? 0) leftovers; slowest start \(slowest / 1_000_000) ms
            """
        )
    }

    /// Makes each variant of each content once.
    private func learn(_ rig: EndToEndRig, _ load: CrashLoad, _ origin: CrashOrigin) throws {
        for _ in 0..<CrashOrigin.versions {
            for number in 0..<CrashOrigin.pictures {
                for width in CrashLoad.widths {
                    let response = try rig.get("/photos/p\(number).png?w=\(width)&format=png")
                    #expect(response.status == 200)
                    load.learn(number, width, response.body)
                }
                origin.change(number)
            }
            let all = try RawHTTPClient(port: rig.daemon.admin).post("/purge", #"{"all":true}"#)
            #expect(all.status == 200)
        }
    }

    /// Inspects the folder of a stopped daemon without changing it.
    private func check(_ rig: EndToEndRig) throws -> DiskCheckResult {
        let listener = DiskCheck.Listener(found: { damage, _ in
            if ![.orphan, .leftover].contains(damage.kind) { print("found: \(damage)") }
        })
        return try DiskCheck(path: rig.folder.path + "/cache", listener: listener).run(repairs: false)
    }
}
