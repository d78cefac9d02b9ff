import ImagePlan

/// The messages between daemon and workers: what is accepted is what the other side encodes, byte for byte.
enum WorkerProtocolTarget: FuzzTarget {
    static let name = "worker-protocol"

    static var seeds: [[UInt8]] {
        var job = WorkerJob()
        (job.id, job.sourceLength, job.deadlineMilliseconds, job.maximumPixels) = (7, 900, 10_000, 50_000_000)
        job.outputs = ["plan/1?w=40", "clean/1", "placeholder/1"].map {
            WorkerJob.Output(plan: $0, bucket: .webp, quality: QualityDefaults())
        }
        var marked = job
        marked.auxiliaries = [.init(name: "watermark", length: 30, format: .png, maximumPixels: 1_000_000)]
        marked.unwritten = [.avif, .jxl]
        let small = WorkerReply.Output(
            format: .png,
            width: 4,
            height: 3,
            frames: 2,
            hasAlpha: true,
            length: 5,
            quality: 80,
            tries: 3
        )
        let timing = WorkerReply.Timing(decode: 1, transform: 2, encode: 3)
        let answers: [(WorkerReply, [[UInt8]?])] = [
            (WorkerReply(id: 7, result: .success([small, small]), timing: timing), [[1, 2, 3, 4, 5], nil]),
            (WorkerReply(id: 8, result: .failure(.broken("a text", parameter: "watermark")), timing: timing), []),
            (WorkerReply(id: 9, result: .failure(.deadline), timing: timing), []),
            (WorkerReply(id: 10, result: .failure(.cancelled), timing: timing), []),
        ]
        let messages =
            [
                try? WorkerMessage.encodeReady(WorkerGreeting(WorkerPosture(), encoded: [.jpeg, .jxl])),
                WorkerMessage.encodeTrapped(59),
            ]
            .compactMap(\.self)
            + [job, marked].compactMap { try? $0.encoded() }
            + answers.compactMap { try? $0.0.encoded(inline: $0.1) }
        // The first byte is the number of descriptors that arrive with a message.
        return messages.flatMap { [[0] + $0, [1] + $0] }
    }

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let message = Array(bytes.dropFirst())
        let descriptors = Int(first % 17)
        if let greeting = try? WorkerMessage.decodeReady(message) {
            expectEqual(try? WorkerMessage.encodeReady(greeting), message, "greeting")
        }
        if let call = try? WorkerMessage.decodeTrapped(message) {
            expectEqual(WorkerMessage.encodeTrapped(call), message, "trapped call")
        }
        if let job = try? WorkerJob(decoding: message) {
            expectEqual(try? job.encoded(), message, "job")
        }
        if let reply = try? WorkerReplyMessage(decoding: message, descriptors: descriptors) {
            check(reply, message, descriptors)
        }
    }

    private static func check(_ message: WorkerReplyMessage, _ bytes: [UInt8], _ descriptors: Int) {
        var files = 0
        let inline = message.payloads.map { payload -> [UInt8]? in
            switch payload {
            case .inline(let range): return Array(bytes[range])
            case .descriptor(let index):
                expectEqual(index, files, "descriptor")
                files += 1
                return nil
            }
        }
        expectEqual(files, descriptors, "descriptors")
        expectEqual(try? message.reply.encoded(inline: inline), bytes, "reply")
    }
}
