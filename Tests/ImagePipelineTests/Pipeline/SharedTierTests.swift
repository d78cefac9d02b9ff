import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

/// Several pipelines over one bucket of SeaweedFS.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct SharedTierTests {
    private let prefix: String
    private let plan = "?w=320&format=png"

    init() throws { prefix = try SeaweedFS.prefix() }

    @Test func `a second node downloads and transforms nothing that is kept`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        let first = try one.fill("a.png", width: 320)
        let second = try other.rig.ask("a.png", plan).value()
        #expect(second.entity.memory == first.entity.memory && second.status == .hit(.shared))
        let bare = try other.rig.ask("a.png", nil).value()
        #expect(bare.entity.description.length == one.rig.png().count && bare.status == .hit(.shared))
        #expect(other.rig.loader.all.isEmpty && other.rig.transformer.all.isEmpty)
        // Now it has both itself.
        try other.rig.settle()
        let reads = other.store.statistics.reads
        let again = try other.rig.restarted()
        #expect(try again.ask("a.png", plan).value().status == .hit(.disk))
        #expect(try again.ask("a.png", nil).value().status == .hit(.disk))
        #expect(other.store.statistics.reads == reads && again.loader.all.isEmpty)
    }

    @Test func `another width is made from the shared original`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320)
        let pending = other.rig.ask("a.png", "?w=100&format=png")
        try other.rig.transformer.wait(for: 1)[0].make(width: 100)
        #expect(try pending.value().status == .hit(.shared) && other.rig.loader.all.isEmpty)
    }

    @Test func `a stale original is validated, and its content and results are not made again`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320, cacheControl: "max-age=1", entityTag: "\"v1\"")
        other.rig.time.advance(seconds: 100)
        other.set(.stale)
        let pending = other.rig.ask("a.png", plan)
        let load = try other.rig.loader.wait(for: 1)[0]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: other.rig.time.wallSeconds, cacheControl: "max-age=3600")
        other.set(.usable)
        #expect(try pending.value().status == .forwarded(.stale, status: 304, collapsed: false))
        #expect(try other.rig.ask("a.png", nil).value().entity.description.length == other.rig.png().count)
        #expect(other.rig.transformer.all.isEmpty && other.rig.loader.all.count == 1)
    }

    @Test func `out of touch, what another node has stored is not trusted for another second`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix, outOfTouch: .revalidate))
        let first = try one.fill("a.png", width: 320, entityTag: "\"v1\"")
        other.rig.stayInTouch()
        #expect(try other.rig.ask("a.png", plan).value().entity.memory == first.entity.memory)
        #expect(other.rig.hit("a.png", plan) == first.entity.memory)
        other.rig.progress.loseTouch()
        #expect(other.rig.hit("a.png", plan) == nil)
        other.set(.stale)
        let pending = other.rig.ask("a.png", plan)
        try other.rig.loader.wait(for: 1)[0].answerNotModified(at: other.rig.time.wallSeconds)
        #expect(try pending.value().entity.memory == first.entity.memory)
        // What the origin itself has confirmed is.
        #expect(other.rig.hit("a.png", plan) == first.entity.memory)
    }

    @Test func `what could not be validated is not served as stale later`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix, outOfTouch: .revalidate))
        let control = "max-age=600, stale-while-revalidate=600"
        _ = try one.fill("a.png", width: 320, cacheControl: control, entityTag: "\"v1\"")
        other.rig.stayInTouch()
        other.set(.stale)
        let failing = other.rig.ask("a.png", nil)
        try other.rig.loader.wait(for: 1)[0].fail(.originTimeout("first byte"))
        #expect(throws: PipelineError.self) { try failing.value() }
        other.rig.time.advance(seconds: 100)
        other.rig.stayInTouch()
        let pending = other.rig.ask("a.png", nil)
        try other.rig.loader.wait(for: 2)[1].answerNotModified(at: other.rig.time.wallSeconds)
        guard case .forwarded(_, status: 304, collapsed: false) = try pending.value().status else {
            Issue.record("\(try pending.value().status)")
            return
        }
    }

    @Test func `an original of unknown state is validated although it is fresh`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320, entityTag: "\"v1\"")
        other.set(.stale)
        let pending = other.rig.ask("a.png", nil)
        let load = try other.rig.loader.wait(for: 1)[0]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: other.rig.time.wallSeconds, cacheControl: "max-age=3600")
        #expect(try pending.value().entity.description.length == other.rig.png().count)
    }

    @Test func `an original that a purge selects is downloaded again, and its results are made again`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320)
        other.set(.purged)
        #expect(try other.fill("a.png", width: 320).status == .miss)
    }

    @Test func `an original over the limit of its source is not taken from another node`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320)
        let limit = one.rig.png().count - 1
        let pending = other.rig.ask("a.png", nil, rule: { $0.limits.sourceBytes = limit })
        try other.rig.loader.wait(for: 1)[0].fail(.originTimeout("first byte"))
        #expect(try pending.error() == .originTimeout("first byte"))
        #expect(other.store.statistics.misses == 1 && other.store.statistics.damaged == 0)
    }

    @Test func `a purge drops the writes that wait`() throws {
        let gate = try ScriptedGate()
        let writes = Signal(0)
        // Nothing is there, and writes get no response.
        let origin = try ScriptedOrigin { request, connection in
            guard request.method == "PUT" else { return connection.respond("404 Not Found") }
            writes.update { $0 += 1 }
            gate.wait()
        }
        let node = try ClusterNode(prefix, endpoint: origin.url)
        for number in 0..<3 {
            let pending = node.rig.ask("\(number).png", nil)
            let loads = try node.rig.loader.wait(for: number + 1)
            loads[number].answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
            _ = try pending.value()
            // Two threads write.
            try writes.wait { $0 == min(number + 1, 2) }
        }
        #expect(node.store.statistics.queued == 3)
        #expect(node.rig.pipeline.purge(.all) { _ in })
        #expect(node.store.statistics.queued == 2 && node.store.statistics.dropped == 1)
        gate.open()
    }

    @Test func `a missing original is removed for all nodes`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        _ = try one.fill("a.png", width: 320, cacheControl: "max-age=1")
        one.rig.time.advance(seconds: 10)
        let pending = one.rig.ask("a.png", nil)
        try one.rig.loader.wait(for: 2)[1].refuse(410, at: one.rig.time.wallSeconds)
        _ = try pending.error()
        try one.settle()
        let second = other.rig.ask("a.png", nil)
        try other.rig.loader.wait(for: 1)[0].answer(other.rig.png(), at: 1000)
        #expect(try second.value().status == .miss)
    }

    @Test func `with a dead store, answers are those of a node without one`() throws {
        let origin = try ScriptedOrigin { _, _ in }
        origin.stop()
        let node = try ClusterNode(prefix, endpoint: origin.url)
        for number in 0..<8 {
            let pending = node.rig.ask("\(number).png", plan)
            try node.rig.loader.wait(for: number + 1)[number].answer(
                node.rig.png(),
                at: 1000,
                cacheControl: "max-age=60"
            )
            try node.rig.transformer.wait(for: number + 1)[number].make(width: 320)
            #expect(try pending.value().status == .miss)
            #expect(try node.rig.ask("\(number).png", plan).value().status == .hit(.memory))
        }
        #expect(node.store.statistics.isReadingSuspended)
    }

    @Test func `with a frozen store, the origin is asked once the budget is used up`() throws {
        let gate = try ScriptedGate()
        let asked = Signal(0)
        // Accepts, and never responds.
        let origin = try ScriptedOrigin { _, _ in
            asked.update { $0 += 1 }
            gate.wait()
        }
        let time = ManualTime()
        let node = try ClusterNode(prefix, endpoint: origin.url, firstByte: 150, time: time)
        let pending = node.rig.ask("a.png", nil)
        try asked.wait { $0 == 1 }
        #expect(node.rig.loader.all.isEmpty)
        time.advance(seconds: 1)
        try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000)
        #expect(try pending.value().status == .miss)
        gate.open()
    }

    @Test func `what may not be stored, and files, do not reach the store`() throws {
        let node = try ClusterNode(prefix)
        let secret = node.rig.ask("a.png", nil)
        try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000, cacheControl: "no-store")
        _ = try secret.value()
        let unkept = node.rig.ask("b.png", nil, cache: .memory)
        try node.rig.loader.wait(for: 2)[1].answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
        _ = try unkept.value()
        try node.settle()
        #expect(node.store.statistics.writes == 0 && node.store.statistics.reads == 1)
    }
}
