import ImagePlan
import Testing

/// Compares messages with recorded bytes of protocol version 7: a change of these bytes needs another version.
@Suite(.timeLimit(.minutes(1)))
struct WorkerMessageBytesTests {
    private static var job: WorkerJob {
        // Stated, so that other defaults do not change the bytes.
        var first = WebPOptions()
        (first.method, first.filterSharpness) = (2, 0)
        var options = first
        (options.method, options.segments, options.lowMemory, options.lossless) = (6, 2, true, true)
        var second = WorkerJob.Output(
            plan: "1?",
            bucket: .rest,
            quality: QualityDefaults(jpeg: 1, webp: 100, avif: 50, webpOptions: options),
            search: EncodingSearch(takesSmallest: true, secondEffort: 6)
        )
        (second.quality.avifEffort, second.quality.distance, second.quality.jxl) = (9, 750, 45)
        var job = WorkerJob()
        (job.id, job.sourceLength, job.sourceFormat) = (0x0102_0304_0506_0708, 1 << 33, .webp)
        (job.deadlineMilliseconds, job.maximumPixels, job.maximumSourceLength) = (10_000, 50_000_000, 1 << 34)
        job.animation = AnimationLimits(frames: 256, pixels: 123_456_789, givesOriginals: false)
        job.outputs = [
            WorkerJob.Output(plan: "1?w=10&bg=ff8800", bucket: .webp, quality: QualityDefaults(webpOptions: first)),
            second,
        ]
        job.reduction = Reduction(
            factor: 4,
            original: ImageHeader(format: .jpeg, width: 4000, height: 3000, orientation: 6, hasAlpha: false)
        )
        job.auxiliaries = [
            WorkerJob.Auxiliary(name: "logos/ä", length: 77, format: .svg, maximumPixels: 1_000_000)
        ]
        return job
    }

    private static let results = WorkerReply(
        id: 9,
        result: .success([
            WorkerReply.Output(
                format: .webp,
                width: 4,
                height: 3,
                frames: 1,
                hasAlpha: false,
                length: 3,
                quality: 71,
                tries: 4,
                score: 742
            ),
            WorkerReply.Output(format: .gif, width: 40, height: 30, frames: 7, hasAlpha: true, length: 1 << 20),
            WorkerReply.Output(format: .json, width: 1, height: 1, frames: 1, hasAlpha: false, length: 2),
        ]),
        timing: WorkerReply.Timing(decode: 1, transform: 2, encode: .max)
    )

    private static let failure = WorkerReply(
        id: 5,
        result: .failure(.refused("too large", parameter: "mask")),
        timing: WorkerReply.Timing(decode: 3)
    )

    @Test func `a job has the bytes of version 7`() throws {
        let recorded = Self.bytes(
            """
            454447570702bd00000008070605040302010000000002000000041027000080f0fa0200000000000100000401a00f0000b8\
            0b00000600021000313f773d31302662673d66663838303001504f3c02010004323c00010101640000640000000000000200\
            313f0001643206010002323c00010101640000640001000000010000000004000000010915cd5b070000000000e803000000\
            ee020000010108006c6f676f732fc3a44d000000000000000c40420f00000000000000004000000000000000004f002d06
            """
        )
        #expect(try Self.job.encoded() == recorded)
        #expect(try WorkerJob(decoding: recorded) == Self.job)
    }

    @Test func `a reply has the bytes of version 7`() throws {
        let recorded = Self.bytes(
            """
            4544475707036c0000000900000000000000000100000002000000ffffffff03040400000003000000010000000003000000\
            000000000003280000001e000000070000000100001000000000000180010000000100000001000000000200000000000000\
            00470400000000e602000000000102037b7d
            """
        )
        #expect(try Self.results.encoded(inline: [[1, 2, 3], nil, Array("{}".utf8)]) == recorded)
        #expect(try WorkerReplyMessage(decoding: recorded, descriptors: 1).reply == Self.results)
    }

    @Test func `a failure and the greeting have the bytes of version 7`() throws {
        let recorded = Self.bytes(
            """
            454447570703260000000500000000000000030300000000000000000000000900746f6f206c6172676504006d61736b
            """
        )
        #expect(try Self.failure.encoded() == recorded)
        #expect(try WorkerReplyMessage(decoding: recorded, descriptors: 0).reply == Self.failure)
        var posture = WorkerPosture()
        posture.outcomes = [.init(.noNewPrivileges), .init(.systemCallFilter), .init(.landlock, error: 5)]
        posture.landlockVersion = 7
        posture.calls = [.init(name: "get_call", isAllowed: false)]
        let greeting = Self.bytes(
            "4544475707012100000003000000000001000000000205000000070108006765745f63616c6c0002010000"
        )
        #expect(try WorkerMessage.encodeReady(WorkerGreeting(posture, encoded: [.jpeg, .jxl])) == greeting)
        let decoded = try WorkerMessage.decodeReady(greeting)
        #expect(decoded.posture == posture && decoded.encoded == [.jpeg, .jxl])
        #expect(WorkerMessage.cancellation == Self.bytes("45444757070500000000"))
        let trapped = Self.bytes("45444757070404000000b0010000")
        #expect(WorkerMessage.encodeTrapped(432) == trapped)
        #expect(try WorkerMessage.decodeTrapped(trapped) == 432)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
