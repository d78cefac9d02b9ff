import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct EncodingMemoryTests {
    private let memory = EncodingMemory()

    private func request(
        _ source: String = "s",
        plan: String = "1?q=auto",
        bucket: FormatBucket? = .webp,
        distance: Int = QualityDefaults.standardDistance,
        auto: SourceRule.AutoFormatPolicy = .accept
    ) -> VariantRequest {
        var quality = QualityDefaults()
        quality.distance = distance
        var rule = SourceRule(name: source, location: .http(prefix: "http://o.test/"), quality: quality)
        rule.autoFormat = auto
        let origin = OriginRequest(source: rule, target: "http://o.test/a", identity: "http://o.test/a")
        return VariantRequest(origin: origin, plan: plan, bucket: bucket)
    }

    private func made(_ format: ImageFormat, _ quality: Int?, tries: Int = 2) -> WorkerReply.Output {
        WorkerReply.Output(
            format: .picture(format),
            width: 9,
            height: 9,
            frames: 1,
            hasAlpha: false,
            length: 9,
            quality: quality,
            tries: tries
        )
    }

    private func search(_ request: VariantRequest, digest: String = "body") -> EncodingSearch {
        memory.search(for: request, plan: request.plan ?? "", digest: CacheKey(hashing: digest))
    }

    private func learn(_ output: WorkerReply.Output, _ request: VariantRequest, digest: String = "body") {
        let search = search(request, digest: digest)
        memory.learn(search, output, for: request, digest: CacheKey(hashing: digest))
    }

    @Test func `a search begins in the middle of what the source's pictures needed, for each format`() {
        #expect(search(request()).qualities.isEmpty)
        for quality in [60, 62, 95] { learn(made(.webp, quality), request()) }
        learn(made(.jpeg, 77), request())
        #expect(search(request()).qualities == [.webp: 62, .jpeg: 77])
        #expect(search(request("t")).qualities.isEmpty, "another source's pictures are others")
        #expect(search(request(distance: 500)).qualities.isEmpty, "another distance needs another quality")
        // What has been long ago leads nobody.
        for _ in 0..<9 { learn(made(.webp, 41), request()) }
        #expect(search(request()).qualities[.webp] == 41)
        #expect(memory.statistics.searches == [0, 0, 13, 0, 0])
    }

    @Test func `what was not searched for is not remembered`() {
        learn(made(.webp, 79, tries: 0), request())
        #expect(search(request()).qualities.isEmpty)
        learn(made(.webp, 60), request())
        #expect(search(request(plan: "1?w=3")) == EncodingSearch(), "nor told to who does not ask")
    }

    @Test func `the smallest format of an original is tried first for its next variant in the same bucket`() {
        let smallest = request(plan: "1?w=3", auto: .smallest)
        #expect(search(smallest) == EncodingSearch(takesSmallest: true))
        learn(made(.webp, nil, tries: 0), smallest)
        #expect(search(smallest).favourite == .init(.webp, isLossless: true))
        #expect(search(smallest, digest: "another").favourite == nil)
        #expect(search(request(plan: "1?w=3", bucket: .rest, auto: .smallest)).favourite == nil)
        #expect(search(request(plan: "1?format=png", bucket: nil, auto: .smallest)) == EncodingSearch())
        learn(made(.jpeg, 80, tries: 0), smallest)
        #expect(search(smallest).favourite == .init(.jpeg, isLossless: false))
        #expect(memory.statistics.smallest == 2 && memory.statistics.favoured == 1)
    }

    @Test func `a worker is told what the one before has found`() throws {
        let rig = try PipelineRig()
        let first = rig.ask("a", "1?q=auto")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.search) == [EncodingSearch()])
        job.make([made(.webp, 63)])
        _ = try first.value()
        let second = rig.ask("b", "1?w=2&q=auto")
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        let next = try rig.transformer.wait(for: 2)[1]
        #expect(next.job.outputs.map(\.search.qualities) == [[.webp: 63]])
        next.make([made(.webp, 64, tries: 1)])
        _ = try second.value()
        #expect(rig.pipeline.encodings.searches == [0, 1, 1, 0, 0])
    }

    @Test func `what is remembered has a bound, and what is in use stays`() {
        learn(made(.webp, 55), request("kept"))
        for number in 0..<5_000 {
            learn(made(.webp, 60), request("s\(number)"))
            if number.isMultiple(of: 500) { #expect(search(request("kept")).qualities[.webp] == 55) }
        }
        #expect(search(request("s0")).qualities.isEmpty)
        #expect(search(request("s4999")).qualities[.webp] == 60)
    }

    @Test func `the key knows the distance and the choice of formats where the bytes depend on them`() {
        #expect(request(distance: 500).key != request().key)
        #expect(request(plan: "1?w=3", distance: 500).key == request(plan: "1?w=3").key)
        #expect(request(plan: "1?w=3", auto: .smallest).key != request(plan: "1?w=3").key)
        #expect(
            request(plan: "1?w=3", distance: 500, auto: .smallest).key != request(plan: "1?w=3", auto: .smallest).key
        )
        #expect(request(plan: "1?w=3", bucket: nil, auto: .smallest).key == request(plan: "1?w=3", bucket: nil).key)
    }
}
