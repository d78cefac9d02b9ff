import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

/// Results of workers whose encoders have too little memory.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EncoderMemoryTests {
    private let drawing = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000"><rect width="4000" height="3000" fill="#89a"/>\
        <circle cx="2000" cy="1500" r="1200" fill="#f40"/></svg>
        """.utf8
    )

    @Test(arguments: ["avif&chroma=444", "avif&lossless=1", "jxl", "jxl&effort=7"])
    func `an image that needs more memory than a worker has is refused without ending the worker`(format: String)
        async throws
    {
        try await PoolBench.withPool { configuration in
            configuration.addressSpace = 512 << 20
        } _: { pool in
            let plan = try RequestLanguage.parse(query: "format=\(format)", options: ParseOptions()).plan.canonicalText
            let result = try await pool.result(of: PoolBench.job(plan, of: drawing, as: .svg))
            guard case .failure(.refused(let reason, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(reason.contains("at least; a worker has 512 (workers.memory)"), "\(reason)")
            // An image with a twentieth of the pixels succeeds.
            let small = try RequestLanguage.parse(query: "w=900&format=\(format)", options: ParseOptions()).plan
            let made = try await pool.result(of: PoolBench.job(small.canonicalText, of: drawing, as: .svg)).get()
            #expect(made.pictures[0].bytes.count > 300)
            #expect(pool.statistics.starts == 1 && pool.statistics.decoderCrashes == 0)
        }
    }

    @Test func `an image that is too large for JPEG XL in a worker is WebP with auto`() async throws {
        try await PoolBench.withPool { configuration in
            configuration.addressSpace = 568 << 20
        } _: { pool in
            var job = try PoolBench.job(of: drawing, as: .svg)
            job.outputs = [.init(plan: "1?", bucket: .jxl, quality: QualityDefaults())]
            let picture = try await pool.result(of: job).get().pictures[0]
            #expect(picture.description.format == .webp && picture.bytes.count > 300)
        }
    }

    @Test func `the smallest format is chosen among those that fit into memory`() async throws {
        try await PoolBench.withPool { configuration in
            // The other formats need between 512 and 520 MiB, including the worker's libraries; AVIF with chroma=444 needs over 600.
            configuration.addressSpace = 568 << 20
        } _: { pool in
            var job = try PoolBench.job(of: drawing, as: .svg)
            let search = EncodingSearch(takesSmallest: true)
            job.outputs = [.init(plan: "1?chroma=444", bucket: .avif, quality: QualityDefaults(), search: search)]
            let picture = try await pool.result(of: job).get().pictures[0]
            #expect(picture.description.format != .picture(.avif) && picture.bytes.count > 300)
        }
    }

    @Test func `an AVIF that needs more memory than a worker has is refused`() async throws {
        try await PoolBench.withPool { configuration in
            // More than the limit below which it is refused at once, and less than an encode needs.
            configuration.addressSpace = 456 << 20
        } _: { pool in
            let job = try PoolBench.job("1?format=avif", of: drawing, as: .svg)
            let result = await pool.result(of: job)
            guard case .failure(.refused(let reason, _)) = result else {
                Issue.record("\(result)")
                return
            }
            let isFromEncoder = reason.hasPrefix("libavif's encoder: ")
            #expect(isFromEncoder && reason.hasSuffix("more than workers.memory"), "\(reason)")
            #expect(try await pool.result(of: PoolBench.job()).get().pictures.count == 1)
            #expect(pool.statistics.starts == 1)
        }
    }
}
