extension WorkerJob {
    /// The message that carries this job; the source's descriptor travels beside it.
    ///
    /// - Throws: `WorkerMessageError` where a value is outside of the protocol's bounds: no such job is ever sent.
    package func encoded() throws(WorkerMessageError) -> [UInt8] {
        try validate()
        let bytes = WorkerMessage.encode(.job) { writer in
            writer.write(id)
            writer.write(UInt64(sourceLength))
            writer.write(sourceFormat.rawValue)
            writer.write(UInt32(deadlineMilliseconds))
            writer.write(UInt64(maximumPixels))
            writer.write(UInt32(maximumFrames))
            writer.write(UInt8(outputs.count))
            for output in outputs {
                writer.write(text: output.plan)
                writer.write(output.bucket.rawValue)
                writer.write(UInt8(output.quality.jpeg))
                writer.write(UInt8(output.quality.webp))
                writer.write(UInt8(output.quality.avif))
                output.quality.webpOptions.write(to: &writer)
            }
        }
        guard bytes.count <= WorkerMessage.maximumSize else { throw .oversized }
        return bytes
    }

    /// Reads a job.
    ///
    /// - Throws: `WorkerMessageError` for anything but exactly one well-formed job.
    package init(decoding bytes: [UInt8]) throws(WorkerMessageError) {
        var reader = try WorkerMessage.open(bytes, as: .job)
        id = try reader.read(UInt64.self)
        sourceLength = try reader.read(UInt64.self, in: Self.lengths, "sourceLength")
        sourceFormat = try reader.read(ImageFormat.self, "sourceFormat")
        deadlineMilliseconds = try reader.read(UInt32.self, in: Self.counts, "deadline")
        maximumPixels = try reader.read(UInt64.self, in: Self.lengths, "maximumPixels")
        maximumFrames = try reader.read(UInt32.self, in: Self.counts, "maximumFrames")
        let count = try reader.read(UInt8.self, in: 1...WorkerMessage.maximumOutputs, "outputs")
        outputs = []
        for _ in 0..<count {
            let plan = try reader.readText(maximum: WorkerMessage.maximumPlanSize, "plan")
            let bucket = try reader.read(FormatBucket.self, "bucket")
            let quality = try QualityDefaults(
                jpeg: reader.read(UInt8.self, in: 1...100, "quality"),
                webp: reader.read(UInt8.self, in: 1...100, "quality"),
                avif: reader.read(UInt8.self, in: 1...100, "quality"),
                webpOptions: WebPOptions(from: &reader)
            )
            outputs.append(Output(plan: plan, bucket: bucket, quality: quality))
        }
        guard reader.remaining == 0 else { throw .length }
    }

    private static let lengths = 1...Int.max
    private static let counts = 1...Int(UInt32.max)

    private func validate() throws(WorkerMessageError) {
        guard Self.lengths.contains(sourceLength) else { throw .field("sourceLength") }
        guard Self.counts.contains(deadlineMilliseconds) else { throw .field("deadline") }
        guard Self.lengths.contains(maximumPixels) else { throw .field("maximumPixels") }
        guard Self.counts.contains(maximumFrames) else { throw .field("maximumFrames") }
        guard (1...WorkerMessage.maximumOutputs).contains(outputs.count) else { throw .field("outputs") }
        for output in outputs {
            guard output.plan.utf8.count <= WorkerMessage.maximumPlanSize else { throw .field("plan") }
            guard output.plan.unicodeScalars.allSatisfy({ !$0.isControl }) else { throw .field("plan") }
            for quality in [output.quality.jpeg, output.quality.webp, output.quality.avif] {
                guard (1...100).contains(quality) else { throw .field("quality") }
            }
            guard output.quality.webpOptions.isValid else { throw .field("webp") }
        }
    }
}
