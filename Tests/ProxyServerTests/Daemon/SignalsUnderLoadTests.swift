import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SignalsUnderLoadTests {
    let picture = TestImages.gradient(width: 64, height: 48)
    /// Mostly hits, and occasionally a miss.
    private var targets: [String] { (1...40).map { "/photos/a.png?w=\($0)&format=png" } }

    @Test func `100 SIGHUPs under load fail no request`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let load = try SteadyLoad(port: rig.daemon.port, clients: 4, targets: targets)
        load.waitForAnswers(100)
        for round in 1...100 {
            try rig.rewrite("presets: { p: \"w=\(round)\" }")
            rig.daemon.signal(SIGHUP)
            try rig.daemon.waitForLog("configuration reloaded", times: round)
        }
        let tally = try load.end()
        #expect(tally.failed.isEmpty && tally.refused + tally.retried == 0, "\(tally)")
        #expect(tally.answered > 100)
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?preset=p&format=png").body)?[0] == 64)
    }

    @Test func `100 SIGTERMs under load fail no request and finish within the grace period`() throws {
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        // In parallel, as each round ends with a second of waiting: clients repeat an unanswered SYN.
        let lanes = 5
        let drains = Signal([Drain]())
        for _ in 0..<lanes {
            try SystemThread.start(name: "drains") { [self] in
                for drain in self.drains(20, of: origin) { drains.update { $0.append(drain) } }
            }
        }
        var all: [Drain] = []
        // Has no timeout of its own, as a busy machine may be slow; the suite's time limit ends it.
        while all.count < 100 { all = (try? drains.wait { $0.count > all.count }) ?? all }
        #expect(all.flatMap(\.failures).isEmpty)
        #expect(all.allSatisfy { $0.code == 0 && $0.duration < .seconds(5) }, "\(all)")
        #expect(all.reduce(0) { $0 + $1.answered } >= 2_000)
    }

    private struct Drain {
        var code: CInt = -1
        var duration = Duration.zero
        var answered = 0
        var failures: [String] = []
    }

    /// Starts a daemon and stops it under load, several times.
    private func drains(_ count: Int, of origin: ScriptedOrigin) -> [Drain] {
        (1...count).map { _ in
            do {
                return try drain(origin)
            } catch {
                return Drain(failures: ["\(error)"])
            }
        }
    }

    private func drain(_ origin: ScriptedOrigin) throws -> Drain {
        let folder = try TemporaryFolder()
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache", memory: 64MiB }
            shutdown: { grace: 5s }
            workers: { count: 1 }
            log: { access: off }

            """
        let daemon = try DaemonProcess(yaml, in: folder)
        let load = try SteadyLoad(port: daemon.port, clients: 4, targets: targets)
        load.waitForAnswers(20)
        let clock = ContinuousClock()
        let begin = clock.now
        daemon.signal(SIGTERM)
        let code = daemon.waitForExit()
        let duration = clock.now - begin
        let tally = try load.end()
        return Drain(code: code, duration: duration, answered: tally.answered, failures: tally.failed)
    }
}
