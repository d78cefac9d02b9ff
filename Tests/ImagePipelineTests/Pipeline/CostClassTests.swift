import HTTPCache
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

/// Timeouts of transforms, which are remembered for work of at least the same cost on the same original.
@Suite(.timeLimit(.minutes(1)))
struct CostClassTests {
    let rig: PipelineRig
    /// A plan that times out in most tests.
    private let heavy = "1?w=1600&effort=6&format=webp"

    init() throws { rig = try PipelineRig() }

    /// Jobs have no other outputs.
    private static func alone(_ source: inout SourceRule) { source.keepsMezzanines = false }

    private func ask(_ path: String, _ plan: String) -> PendingAnswer { rig.ask(path, plan, rule: Self.alone) }

    /// Requests a plan, and lets its transform time out.
    private func exhaust(_ plan: String, _ path: String = "a.png", job: Int = 1, load: Int? = 1) throws {
        let pending = ask(path, plan)
        if let load {
            try rig.loader.wait(for: load)[load - 1].answer(
                rig.png(width: 1700, height: 1700),
                at: rig.time.wallSeconds
            )
        }
        try rig.transformer.wait(for: job)[job - 1].fail(.transformTimeout)
        #expect(try pending.error() == .transformTimeout)
        // Its original is fresh, so that what follows contacts no origin.
        try rig.settle()
    }

    /// Requests a plan that a worker makes.
    private func serve(_ plan: String, job: Int) throws {
        let pending = ask("a.png", plan)
        try rig.transformer.wait(for: job)[job - 1].make([UInt8(job)])
        #expect(try pending.value().entity.memory == [UInt8(job)], "\(plan)")
    }

    private func askPreset(_ plan: String) -> PendingAnswer {
        let origin = rig.request("a.png", plan, rule: Self.alone).origin
        let request = VariantRequest(origin: origin, plan: plan, bucket: nil, presets: ["big"], isPresetPlan: true)
        let pending = PendingAnswer()
        pending.subscription.withLock {
            $0 = rig.pipeline.load(request) { result in pending.outcome.update { $0 = result } }
        }
        return pending
    }

    @Test func `equal and heavier plans are refused without a worker, cheaper ones are served`() throws {
        try exhaust(heavy)
        let refused = PipelineError.remembered(.transformTimeout, secondsLeft: 1)
        for plan in [
            heavy, "1?w=1500&effort=6&format=webp", "1?w=1600&effort=9&format=webp",
            "1?w=1600&blur=9&effort=6&format=webp",
            "1?w=1600&h=1600&effort=6&fit=fill&format=webp", "1?w=1600&effort=6&format=webp&max_bytes=9000",
        ] {
            #expect(try ask("a.png", plan).error() == refused, "\(plan)")
        }
        #expect(rig.transformer.all.count == 1)
        for plan in [
            "1?w=100&effort=6&format=webp", "1?w=1600&effort=5&format=webp", "1?w=1600&format=webp",
            "1?w=1600&effort=6&format=jpeg", "1?crop=0,0,100,100&effort=6&format=webp",
        ] {
            try serve(plan, job: rig.transformer.all.count + 1)
        }
        // Another original is not concerned.
        let count = rig.transformer.all.count
        let other = ask("b.png", heavy)
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 1700, height: 1700), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: count + 1)[count].make([9])
        #expect(try other.value().entity.memory == [9])
    }

    @Test func `a plan with more steps does not refuse those without them`() throws {
        try exhaust("1?w=1600&blur=250&pixelate=2&format=webp")
        for plan in ["1?w=1600&format=webp", "1?w=1600&blur=250&format=webp", "1?w=1600&pixelate=2&format=webp"] {
            try serve(plan, job: rig.transformer.all.count + 1)
        }
    }

    @Test func `the plan of a preset is always tried, and its timeout refuses others`() throws {
        try exhaust(heavy)
        for _ in 1...2 {
            let count = rig.transformer.all.count
            let preset = askPreset(heavy)
            try rig.transformer.wait(for: count + 1)[count].fail(.transformTimeout)
            #expect(try preset.error() == .transformTimeout)
            try rig.settle()
            #expect(try ask("a.png", heavy).error()?.isRemembered == true)
        }
        let count = rig.transformer.all.count
        let preset = askPreset(heavy)
        try rig.transformer.wait(for: count + 1)[count].make([7])
        #expect(try preset.value().entity.memory == [7])
        // The success has disproved the timeout.
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `after the back-off one request tries, and the pause doubles`() throws {
        try exhaust(heavy)
        var pauses: [Int64] = []
        for attempt in 2...4 {
            let pause = try #require(rig.pipeline.failures.list(limit: 1).first?.secondsLeft)
            pauses.append(pause)
            rig.time.advance(seconds: pause + 1)
            let probe = ask("a.png", heavy)
            _ = try rig.transformer.wait(for: attempt)
            #expect(try ask("a.png", heavy).error() == .remembered(.transformTimeout, secondsLeft: 1))
            rig.transformer.all[attempt - 1].fail(.transformTimeout)
            #expect(try probe.error() == .transformTimeout)
        }
        #expect(pauses == [1, 2, 4])
        rig.time.advance(seconds: 60)
        try serve(heavy, job: 5)
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `a heavier plan that times out after the back-off leaves the first class to be tried`() throws {
        try exhaust(heavy)
        rig.time.advance(seconds: 2)
        try exhaust("1?w=1600&effort=9&format=webp", job: 2, load: nil)
        #expect(rig.pipeline.failures.statistics.entries == 2)
        try serve(heavy, job: 3)
        #expect(try ask("a.png", "1?w=1600&effort=9&format=webp").error()?.isRemembered == true)
    }

    @Test func `the list names the class, and a purge removes it`() throws {
        try exhaust(heavy)
        let listed = try #require(rig.pipeline.failures.list(limit: 9).first)
        #expect(listed.work == "webp with effort 6, from 1048576 pixels")
        #expect(listed.plan == heavy && listed.error == .transformTimeout && listed.url.hasSuffix("a.png"))
        #expect(rig.pipeline.failures.remove(.source("photos")) == 1)
        try serve(heavy, job: 2)
    }

    @Test func `another body of the original is tried`() throws {
        try exhaust(heavy)
        rig.time.advance(seconds: 3_600)
        let changed = ask("a.png", "1?w=9&format=png")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 1601), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 2)[1].make([2])
        _ = try changed.value()
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `an original has at most 16 classes`() throws {
        for effort in 0...9 {
            try exhaust("1?w=40&effort=\(9 - effort)&format=webp", job: effort + 1, load: effort == 0 ? 1 : nil)
        }
        for effort in 0...9 { try exhaust("1?w=40&effort=\(9 - effort)&format=jxl", job: effort + 11, load: nil) }
        #expect(rig.pipeline.failures.statistics.entries == NegativeCache<PipelineError>.mostClasses)
    }

    @Test func `failures that do not depend on the cost stay with their plan`() throws {
        let first = ask("a.png", heavy)
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 1700, height: 1700), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.crashedDecoder)
        #expect(try first.error() == .crashedDecoder)
        try rig.settle()
        try serve("1?w=1600&effort=9&format=webp", job: 2)
        #expect(rig.pipeline.failures.list(limit: 1).first?.work == nil)
    }
}

extension PipelineError {
    /// Whether it is a remembered timeout.
    fileprivate var isRemembered: Bool {
        if case .remembered(.transformTimeout, _) = self { true } else { false }
    }
}
