import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct EncodingCountsTests {
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
        let origin = OriginRequest(source: rule, at: "http://o.test/a")
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

    @Test func `counts searches by tries, and choices of a format`() {
        let counts = EncodingCounts()
        counts.note(made(.webp, 79, tries: 0), of: EncodingSearch())
        for tries in [1, 2, 2, 7, 9] { counts.note(made(.webp, 60, tries: tries), of: EncodingSearch()) }
        counts.note(made(.png, nil, tries: 0), of: EncodingSearch(takesSmallest: true))
        #expect(counts.statistics.searches == [0, 1, 2, 0, 0, 0, 0, 2])
        #expect(counts.statistics.smallest == 1)
    }

    @Test func `searches for the smallest format only with format=auto, and if the source enables it`() {
        #expect(request(auto: .smallest).encodingSearch == EncodingSearch(takesSmallest: true))
        #expect(request(bucket: nil, auto: .smallest).encodingSearch == EncodingSearch())
        #expect(request().encodingSearch == EncodingSearch())
    }

    @Test func `jobs do not depend on earlier searches`() throws {
        let rig = try PipelineRig()
        var told: [WorkerJob.Output] = []
        for (index, quality) in [95, 41, 63].enumerated() {
            let request = rig.ask("\(index)", "1?q=auto")
            try rig.loader.wait(for: index + 1)[index].answer(rig.png(), at: rig.time.wallSeconds)
            let job = try rig.transformer.wait(for: index + 1)[index]
            told += job.job.outputs
            job.make([made(.webp, quality)])
            _ = try request.value()
        }
        #expect(told.count == 3 && told.allSatisfy { $0 == told[0] })
        #expect(rig.pipeline.encodings.searches == [0, 0, 3, 0, 0, 0, 0, 0])
    }

    @Test func `the key contains the distance and the choice of formats if the bytes depend on them`() {
        #expect(request(distance: 500).key != request().key)
        #expect(request(plan: "1?w=3", distance: 500).key == request(plan: "1?w=3").key)
        #expect(request(plan: "1?w=3", auto: .smallest).key != request(plan: "1?w=3").key)
        #expect(
            request(plan: "1?w=3", distance: 500, auto: .smallest).key != request(plan: "1?w=3", auto: .smallest).key
        )
        #expect(request(plan: "1?w=3", bucket: nil, auto: .smallest).key == request(plan: "1?w=3", bucket: nil).key)
    }
}
