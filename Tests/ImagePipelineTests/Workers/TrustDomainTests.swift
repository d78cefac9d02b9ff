import CLinux
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)), .serialized)
struct TrustDomainTests {
    private func job(in domain: String?) throws -> TransformJob {
        var job = try PoolBench.job()
        job.domain = domain
        return job
    }

    /// Runs jobs one after another, and returns the process of each.
    private func processes(_ pool: WorkerPool, _ domains: [String?]) async throws -> [pid_t] {
        var processes: [pid_t] = []
        for domain in domains {
            _ = try await pool.result(of: job(in: domain)).get()
            processes.append(pool.statistics.workers[0].pid)
        }
        return processes
    }

    @Test func `a process runs jobs of one domain only`() async throws {
        try await PoolBench.withPool { pool in
            let pids = try await processes(pool, ["a", "a", "b", "b", nil, nil, "a"])
            #expect(pids[0] == pids[1] && pids[2] == pids[3] && pids[4] == pids[5])
            #expect(Set(pids).count == 4, "\(pids)")
            #expect(pool.statistics.swaps == 3)
            #expect(pool.statistics.restarts == 0 && pool.statistics.retries == 0)
        }
    }

    @Test func `without domains no process is replaced and no spare is kept`() async throws {
        try await PoolBench.withPool { pool in
            let pids = try await processes(pool, [nil, nil, nil])
            #expect(Set(pids).count == 1)
            #expect(pool.statistics.starts == 1 && pool.statistics.swaps == 0 && pool.statistics.spares == 0)
        }
    }

    @Test func `one spare waits for the next change of domain and is used by it`() async throws {
        try await PoolBench.withPool(workers: 2) { pool in
            _ = try await pool.result(of: job(in: "a")).get()
            try await pool.wait { $0.spares == 1 && $0.ready == 2 }
            #expect(pool.statistics.starts == 3)
            // Both workers serve the domain of one of these at most, so that the third one takes the spare.
            for domain in ["b", "c"] { _ = try await pool.result(of: job(in: domain)).get() }
            try await pool.wait { $0.swaps >= 1 && $0.spares == 1 && $0.ready == 2 }
            let statistics = pool.statistics
            #expect(statistics.starts == 3 + statistics.swaps)
        }
    }

    @Test func `a spare that ends costs nothing but a start`() async throws {
        try await PoolBench.withPool { pool in
            _ = try await pool.result(of: job(in: "a")).get()
            try await pool.wait { $0.spares == 1 }
            let spare = try #require(pool.shared.spare.pid)
            kill(spare, SIGKILL)
            _ = try await pool.result(of: job(in: "b")).get()
            #expect(pool.statistics.jobs == 2)
        }
    }

    @Test func `stopping ends the spare`() async throws {
        let pool = try WorkerPool(WorkerPool.Configuration(workers: 1))
        _ = try await pool.result(of: job(in: "a")).get()
        try await pool.wait { $0.spares == 1 }
        let spare = try #require(pool.shared.spare.pid)
        pool.stop()
        // Reaped: no such process any more.
        #expect(kill(spare, 0) == -1 && errno == ESRCH)
        #expect(pool.statistics.spares == 0)
    }

    @Test func `a worker is replaced after its decoder has rejected an image`() async throws {
        try await PoolBench.withPool { pool in
            var pids = try await processes(pool, [nil])
            guard case .failure(.broken) = try await pool.result(of: PoolBench.job(of: Array("no image".utf8))) else {
                Issue.record("text is no PNG")
                return
            }
            pids += try await processes(pool, [nil])
            #expect(pids[0] != pids[1])
            #expect(pool.statistics.errorReplacements == 1)
            #expect(pool.statistics.restarts == 0 && pool.statistics.swaps == 0)
        }
    }

    @Test func `neither a deadline nor a parameter's fault replaces a worker`() async throws {
        try await PoolBench.withPool { pool in
            let before = try await processes(pool, [nil])
            guard case .failure(.transformTimeout) = try await pool.result(of: PoolBench.slowJob(milliseconds: 100))
            else {
                Issue.record("must take longer")
                return
            }
            guard
                case .failure(.refused(_, parameter: .some)) =
                    try await pool.result(of: PoolBench.job("1?crop=30,30,5,5&format=png"))
            else {
                Issue.record("the rectangle is outside of the image")
                return
            }
            #expect(try await processes(pool, [nil]) == before)
            #expect(pool.statistics.errorReplacements == 0)
        }
    }

    @Test func `a flood of damaged images replaces workers only as often as the budget allows`() async throws {
        let time = ManualTime()
        var configuration = WorkerPool.Configuration(workers: 1)
        configuration.errorReplacements = 1
        let pool = try WorkerPool(configuration, time: time)
        defer { pool.stop() }
        let damaged = try PoolBench.job(of: Array("no image".utf8))
        for _ in 0..<10 { _ = await pool.result(of: damaged) }
        #expect(pool.statistics.jobs == 10)
        #expect(pool.statistics.errorReplacements == 2)
        // The last worker is replaced as soon as the budget allows, before it runs another job.
        let pid = pool.statistics.workers[0].pid
        time.advance(seconds: 1)
        #expect(try await processes(pool, [nil]) != [pid])
        #expect(pool.statistics.errorReplacements == 3)
    }

    @Test func `a budget regains replacements with time, up to its burst`() {
        let budget = ReplacementBudget(perSecond: 2, burst: 3, at: 0)
        func taken(at time: Int64) -> Int { (0..<10).count { _ in budget.take(at: time) } }
        #expect(taken(at: 0) == 3)
        #expect(taken(at: 400_000_000) == 0)
        #expect(taken(at: 500_000_000) == 1)
        #expect(taken(at: 1_500_000_000) == 2)
        #expect(taken(at: 3_600_000_000_000) == 3)
        // A clock that goes back adds nothing.
        #expect(taken(at: 0) == 0)
    }

    /// A worker that keeps what it has seen: a job gets a picture of its own process's history instead of its result.
    @Test func `a worker that keeps images of one domain cannot show them to another`() async throws {
        let folder = try TemporaryFolder()
        func save(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o600) throws {
            let file = unsafe edge_open("\(folder.path)/\(name)", O_WRONLY | O_CREAT, mode)
            try #require(file >= 0)
            defer { close(file) }
            try #require(unsafe write(file, bytes, bytes.count) == bytes.count)
        }
        for id in 1...6 {
            for history in ["clean", "kept"] {
                let bytes = Array(history.utf8)
                let output = WorkerReply.Output(
                    format: .png,
                    width: 1,
                    height: 1,
                    frames: 1,
                    hasAlpha: false,
                    length: bytes.count
                )
                let reply = WorkerReply(id: UInt64(id), result: .success([output]), timing: .init())
                try save(try reply.encoded(inline: [bytes]), "reply-\(id)-\(history)")
            }
        }
        try save(try WorkerMessage.encodeReady(WorkerGreeting(WorkerPosture(), encoded: [.png])), "greeting")
        try save([], "jobs")
        let script = """
            #!/bin/sh
            cat '\(folder.path)/greeting' >&3
            history=clean
            while dd bs=200000 count=1 <&3 2>/dev/null | grep -q .; do
              echo job >> '\(folder.path)/jobs'
              cat "\(folder.path)/reply-$(wc -l < '\(folder.path)/jobs')-$history" >&3
              history=kept
            done

            """
        try save(Array(script.utf8), "worker", mode: 0o755)
        try await PoolBench.withPool {
            $0.workerPath = folder.path + "/worker"
            // A script has no canary.
            $0.sandbox = .off
        } _: { pool in
            var seen: [String] = []
            for domain in ["a", "a", "b", nil, nil, "a"] {
                let result = try await pool.result(of: job(in: domain)).get()
                seen.append(String(decoding: result.pictures[0].bytes, as: UTF8.self))
            }
            #expect(seen == ["clean", "kept", "clean", "clean", "kept", "clean"])
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `sources choose the domains of their jobs`() throws {
        func domain(
            _ isolation: SourceRule.Isolation,
            _ name: String,
            _ url: String = "https://A.example/x"
        ) throws -> String? {
            var rule = SourceRule(name: name, location: .remote)
            rule.isolation = isolation
            return rule.trustDomain(of: .url(try OriginURL(url)))
        }
        #expect(try domain(.none, "photos") == nil)
        #expect(try domain(.source, "photos") != domain(.source, "posters"))
        #expect(try domain(.source, "shop/photos") != domain(.source, "photos"))
        #expect(try domain(.site, "shop/photos") == domain(.site, "shop/posters"))
        #expect(try domain(.site, "shop/photos") != domain(.site, "photos"))
        #expect(try domain(.site, "a") != domain(.source, "a"))
        #expect(try domain(.host, "fetch") == domain(.host, "fetch", "http://a.example:81/y"))
        #expect(try domain(.host, "fetch") != domain(.host, "fetch", "https://b.example/x"))
        #expect(try domain(.host, "fetch") != domain(.host, "shop/fetch"))
        var rule = SourceRule(name: "fetch", location: .remote)
        rule.isolation = .host
        let data = try DataURL("data:image/png;base64,AAAA")
        #expect(rule.trustDomain(of: .data(data)) == "host fetch data:")
    }
}
