import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WorkerProtocolTests {
    private let job = {
        var job = WorkerJob()
        (job.id, job.sourceLength, job.sourceFormat) = (.max - 3, 1 << 33, .webp)
        (job.deadlineMilliseconds, job.maximumPixels, job.maximumSourceLength) = (10_000, 50_000_000, 1 << 34)
        job.outputs = [
            .init(plan: "1?w=10&bg=ff8800", bucket: .webp, quality: QualityDefaults()),
            .init(plan: "1?", bucket: .rest, quality: QualityDefaults(jpeg: 1, webp: 100, avif: 50)),
        ]
        return job
    }()
    private let outputs = [
        WorkerReply.Output(format: .jpeg, width: 4, height: 3, frames: 1, hasAlpha: false, length: 5),
        WorkerReply.Output(format: .gif, width: 40, height: 30, frames: 7, hasAlpha: true, length: 1 << 20),
        WorkerReply.Output(format: .png, width: 1, height: 1, frames: 1, hasAlpha: true, length: 2),
    ]
    private let timing = WorkerReply.Timing(decode: 1, transform: 2, encode: .max)

    @Test func `a job round-trips`() throws {
        #expect(try WorkerJob(decoding: job.encoded()) == job)
    }

    @Test func `libwebp's options are encoded and checked`() throws {
        var options = WebPOptions()
        (options.method, options.pass, options.preprocessing, options.lowMemory) = (6, 10, 7, true)
        (options.segments, options.snsStrength, options.filterStrength, options.filterSharpness) = (1, 0, 100, 7)
        (options.filterType, options.autofilter, options.alphaCompression, options.alphaFiltering) = (0, true, 0, 2)
        (options.alphaQuality, options.partitions, options.partitionLimit, options.useSharpYUV) = (0, 3, 100, true)
        (options.nearLossless, options.exact, options.targetPSNR, options.lossless) = (0, true, 42, true)
        var job = job
        job.outputs[0].quality.webpOptions = options
        #expect(try WorkerJob(decoding: job.encoded()) == job)
        #expect(job.outputs[0].quality.keyText == "80,79,60;6,10,7,1,0,100,7,0,0,2,0,3,100,0,42,1,1,1,1,1")
        #expect(QualityDefaults().keyText == "80,79,60")
        job.outputs[0].quality.webpOptions.segments = 5
        #expect(throws: WorkerMessageError.field("webp")) { try job.encoded() }
    }

    @Test func `auxiliary images are encoded and checked`() throws {
        var job = job
        job.auxiliaries = (0..<8).map { number in
            .init(name: "logos/ä,\(number)", length: 1 << 33 + number, format: .svg, maximumPixels: 50_000_000)
        }
        let bytes = try job.encoded()
        #expect(try WorkerJob(decoding: bytes) == job)
        for count in bytes.indices {
            #expect(throws: WorkerMessageError.self) { try WorkerJob(decoding: Array(bytes[..<count])) }
        }
        job.auxiliaries.append(job.auxiliaries[0])
        #expect(throws: WorkerMessageError.field("auxiliaries")) { try job.encoded() }
        for (name, length, field) in [
            ("a\n", 1, "auxiliary"), (String(repeating: "x", count: 1025), 1, "auxiliary"),
            ("a", 0, "auxiliaryLength"),
        ] {
            job.auxiliaries = [.init(name: name, length: length, format: .png, maximumPixels: 1)]
            #expect(throws: WorkerMessageError.field(field)) { try job.encoded() }
        }
    }

    @Test func `a reply round-trips and locates the bytes`() throws {
        let reply = WorkerReply(id: 9, result: .success(outputs), timing: timing)
        let bytes = try reply.encoded(inline: [[1, 2, 3, 4, 5], nil, [8, 9]])
        let message = try WorkerReplyMessage(decoding: bytes, descriptors: 1)
        #expect(message.reply == reply)
        let end = bytes.count
        #expect(message.payloads == [.inline(end - 7..<end - 2), .descriptor(0), .inline(end - 2..<end)])
        #expect(Array(bytes[end - 7..<end - 2]) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [
        WorkerReply.Failure.unsupported("no"), .broken(""), .refused("größer als erlaubt"), .deadline, .worker("x"),
        .broken("cut", parameter: "mask"), .refused("", parameter: "crop"),
    ])
    func `a failure round-trips`(failure: WorkerReply.Failure) throws {
        let reply = WorkerReply(id: 1, result: .failure(failure), timing: timing)
        #expect(try WorkerReplyMessage(decoding: reply.encoded(), descriptors: 0).reply == reply)
    }

    @Test func `a failure's text is cleaned and cut`() throws {
        let reply = WorkerReply(
            id: 1,
            result: .failure(.broken("a\nb\u{7f}" + String(repeating: "é", count: 500))),
            timing: timing
        )
        let decoded = try WorkerReplyMessage(decoding: reply.encoded(), descriptors: 0).reply
        guard case .failure(.broken(let text, nil)) = decoded.result else {
            Issue.record("not broken")
            return
        }
        #expect(text.hasPrefix("a b é"))
        #expect(text.utf8.count == WorkerMessage.maximumTextSize)
    }

    @Test func `an unencodable parameter name is omitted`() throws {
        for name in ["a\nb", "", String(repeating: "é", count: 129)] {
            let reply = WorkerReply(id: 1, result: .failure(.refused("no", parameter: name)), timing: timing)
            let decoded = try WorkerReplyMessage(decoding: reply.encoded(), descriptors: 0).reply
            #expect(decoded.result == .failure(.refused("no")))
        }
        // Only failures that a request can fix name a parameter.
        var bytes = try WorkerReply(id: 1, result: .failure(.broken("no", parameter: "w")), timing: timing).encoded()
        bytes[WorkerMessage.headSize + 8] = 5
        #expect(throws: WorkerMessageError.field("parameter")) {
            try WorkerReplyMessage(decoding: bytes, descriptors: 0)
        }
    }

    @Test func `no truncated message is valid`() throws {
        let reply = try WorkerReply(id: 9, result: .success(outputs), timing: timing).encoded(inline: [
            [1, 2, 3, 4, 5], nil, [8, 9],
        ])
        for count in 0..<reply.count {
            #expect(throws: WorkerMessageError.self) {
                try WorkerReplyMessage(decoding: Array(reply.prefix(count)), descriptors: 1)
            }
        }
        let bytes = try job.encoded()
        for count in 0..<bytes.count {
            #expect(throws: WorkerMessageError.self) { try WorkerJob(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: WorkerMessageError.length) { try WorkerJob(decoding: bytes + [0]) }
        #expect(throws: WorkerMessageError.length) { try WorkerReplyMessage(decoding: reply + [0], descriptors: 1) }
    }

    @Test func `every changed byte gives an error or a message within bounds`() throws {
        let reply = try WorkerReply(id: 9, result: .success(outputs), timing: timing).encoded(inline: [
            [1, 2, 3, 4, 5], nil, [8, 9],
        ])
        for index in reply.indices {
            for bit in 0..<8 {
                var bytes = reply
                bytes[index] ^= 1 << UInt8(bit)
                guard let message = try? WorkerReplyMessage(decoding: bytes, descriptors: 1) else { continue }
                guard case .success(let outputs) = message.reply.result else { continue }
                #expect(outputs.count == message.payloads.count)
                for (output, payload) in zip(outputs, message.payloads) {
                    #expect(output.width > 0 && output.height > 0 && output.frames > 0 && output.length > 0)
                    if case .inline(let range) = payload {
                        #expect(range.count == output.length)
                        #expect(range.upperBound <= bytes.count)
                    }
                }
                // The decoded value encodes to the same bytes.
                let inline = message.payloads.map { payload -> [UInt8]? in
                    if case .inline(let range) = payload { Array(bytes[range]) } else { nil }
                }
                #expect(try message.reply.encoded(inline: inline) == bytes)
            }
        }
    }

    @Test func `every changed byte of a job gives an error or another job`() throws {
        let original = try job.encoded()
        for index in original.indices {
            for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] where original[index] != value {
                var bytes = original
                bytes[index] = value
                if let decoded = try? WorkerJob(decoding: bytes) { #expect(try decoded.encoded() == bytes) }
            }
        }
    }

    @Test func `the number of descriptors must match`() throws {
        let bytes = try WorkerReply(id: 9, result: .success(outputs), timing: timing).encoded(inline: [
            [1, 2, 3, 4, 5], nil, [8, 9],
        ])
        for count in [0, 2, 16] {
            #expect(throws: WorkerMessageError.field("descriptors")) {
                try WorkerReplyMessage(decoding: bytes, descriptors: count)
            }
        }
        let failure = try WorkerReply(id: 9, result: .failure(.deadline), timing: timing).encoded()
        #expect(throws: WorkerMessageError.field("descriptors")) {
            try WorkerReplyMessage(decoding: failure, descriptors: 1)
        }
    }

    @Test func `both ends check bounds`() throws {
        var large = job
        large.outputs = Array(repeating: job.outputs[0], count: WorkerMessage.maximumOutputs)
        #expect(throws: Never.self) { try large.encoded() }
        large.outputs.append(job.outputs[0])
        #expect(throws: WorkerMessageError.field("outputs")) { try large.encoded() }
        large = job
        large.outputs[0].plan = String(repeating: "x", count: WorkerMessage.maximumPlanSize + 1)
        #expect(throws: WorkerMessageError.field("plan")) { try large.encoded() }
        large = job
        large.deadlineMilliseconds = 0
        #expect(throws: WorkerMessageError.field("deadline")) { try large.encoded() }
        large = job
        large.outputs[0].quality.avif = 101
        #expect(throws: WorkerMessageError.field("quality")) { try large.encoded() }
        let huge = [UInt8](repeating: 0, count: WorkerMessage.maximumSize + 1)
        #expect(throws: WorkerMessageError.oversized) { try WorkerReplyMessage(decoding: huge, descriptors: 0) }
    }

    @Test func `other kinds and versions are refused`() throws {
        var bytes = try job.encoded()
        #expect(throws: WorkerMessageError.kind) { try WorkerReplyMessage(decoding: bytes, descriptors: 0) }
        #expect(throws: WorkerMessageError.kind) { try WorkerMessage.decodeReady(bytes) }
        bytes[4] = 1
        #expect(throws: WorkerMessageError.version(1)) { try WorkerJob(decoding: bytes) }
        let greeting = WorkerGreeting(WorkerPosture(), encoded: [.jpeg, .jxl, .avif])
        #expect(try WorkerMessage.decodeReady(WorkerMessage.encodeReady(greeting)) == greeting)
        #expect(greeting.encoded == [.jpeg, .jxl, .avif])
    }
}
