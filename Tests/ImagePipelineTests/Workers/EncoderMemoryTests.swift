import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

/// What workers answer when their encoders have too little memory.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EncoderMemoryTests {
    private let drawing = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000"><rect width="4000" height="3000" fill="#89a"/>\
        <circle cx="2000" cy="1500" r="1200" fill="#f40"/></svg>
        """.utf8
    )

    @Test func `an AVIF that does not fit into a worker is refused, and no file without a picture given`() async throws
    {
        try await PoolBench.withPool { configuration in
            configuration.addressSpace = 512 << 20
        } _: { pool in
            let job = try PoolBench.job("1?chroma=444&format=avif", of: drawing, as: .svg)
            let result = await pool.result(of: job)
            guard case .failure(.refused(let reason, _)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(reason.contains("workers.memory"), "\(reason)")
            #expect(try await pool.result(of: PoolBench.job()).get().pictures.count == 1)
            #expect(pool.statistics.starts == 1)
        }
    }
}
