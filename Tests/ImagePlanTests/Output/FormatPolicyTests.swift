import ImagePlan
import Testing

/// Formats that are enabled and disabled.
@Suite(.timeLimit(.minutes(1)))
struct FormatPolicyTests {
    @Test func `every format except PDF is on by default`() {
        let policy = FormatPolicy()
        for format in ImageFormat.allCases { #expect(policy[format] == (format == .pdf ? .off : .on), "\(format)") }
        #expect(policy.keyText.isEmpty && policy.unwritten.isEmpty)
    }

    @Test func `only formats that are not written change results`() {
        var policy = FormatPolicy()
        policy[.heic] = .off
        policy[.jxl] = .write
        #expect(policy.keyText == "unwritten=heic" && !policy[.jxl].reads)
        policy[.webp] = .read
        policy[.heic] = .on
        #expect(policy.keyText == "unwritten=webp" && policy[.webp].reads && !policy[.webp].writes)
        policy[.webp] = .on
        policy[.jxl] = .on
        #expect(policy == FormatPolicy())
    }

    @Test func `compressed SVG counts as SVG`() {
        var policy = FormatPolicy()
        policy[.svg] = .off
        #expect(policy[.svgz] == .off && !policy.readsAll(of: FormatPolicy()) && FormatPolicy().readsAll(of: policy))
        #expect(!FormatPolicy.formats.contains(.svgz))
    }

    @Test(
        arguments: [
            ([], .avif, .avif), ([.avif], .avif, .webp), ([.avif, .webp], .avif, .jpeg), ([.webp], .webp, .jpeg),
            ([.jpeg], .rest, .png), ([.jpeg, .png], .rest, .webp),
        ] as [(Set<ImageFormat>, FormatBucket, ImageFormat)]
    )
    func `auto chooses among the formats that are written`(
        without: Set<ImageFormat>,
        bucket: FormatBucket,
        chosen: ImageFormat
    ) {
        let traits = { (alpha: Bool, frames: Bool) in
            EncoderTraits(hasAlpha: alpha, hasAnimation: frames, isLosslessPossible: alpha, longestSide: 16_383)
        }
        let encoders = EncoderTable([
            .jpeg: traits(false, false), .png: traits(true, true), .webp: traits(true, true), .avif: traits(true, true),
        ])
        let format = FormatNegotiation.choose(
            .auto,
            bucket: bucket,
            sourceFormat: .jpeg,
            hasAlpha: false,
            frames: 1,
            plan: .identity,
            encoders: encoders.without(without)
        )
        #expect(format == chosen)
    }

    @Test func `a job contains the formats that are not written`() throws {
        var job = WorkerJob()
        (job.id, job.sourceLength, job.deadlineMilliseconds, job.maximumPixels) = (1, 1, 1, 1)
        job.outputs = [.init(plan: "1?", bucket: .rest, quality: QualityDefaults())]
        job.unwritten = [.webp, .jxl]
        job.animation.bytes = 12_345
        let read = try WorkerJob(decoding: job.encoded())
        #expect(read.unwritten == [.webp, .jxl] && read.animation.bytes == 12_345)
    }
}
