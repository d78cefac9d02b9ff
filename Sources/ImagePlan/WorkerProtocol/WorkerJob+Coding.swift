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
            write(reduction, to: &writer)
            writer.write(UInt8(outputs.count))
            for output in outputs {
                writer.write(text: output.plan)
                writer.write(output.bucket.rawValue)
                writer.write(UInt8(output.quality.jpeg))
                writer.write(UInt8(output.quality.webp))
                writer.write(UInt8(output.quality.avif))
                output.quality.webpOptions.write(to: &writer)
            }
            writer.write(UInt64(maximumSourceLength))
            for output in outputs { writer.write(UInt8(output.quality.avifEffort)) }
            writer.write(UInt64(maximumAnimation))
            writer.write(UInt8(givesOriginals ? 1 : 0))
            for output in outputs { output.writeSearch(to: &writer) }
            write(ingredients, to: &writer)
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
        reduction = try Self.readReduction(&reader)
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
        maximumSourceLength = try reader.read(UInt64.self, in: Self.lengths, "maximumSourceLength")
        for index in outputs.indices {
            outputs[index].quality.avifEffort = try reader.read(UInt8.self, in: EncodingSettings.efforts, "effort")
        }
        maximumAnimation = try reader.read(UInt64.self, in: Self.lengths, "maximumAnimation")
        givesOriginals = try reader.read(UInt8.self, in: 0...1, "givesOriginals") == 1
        for index in outputs.indices { try outputs[index].readSearch(&reader) }
        ingredients = try Self.readIngredients(&reader)
        guard reader.remaining == 0 else { throw .length }
    }

    /// A factor, 1 for the original itself; else what the original says of itself follows.
    private func write(_ reduction: Reduction?, to writer: inout MessageWriter) {
        writer.write(UInt8(reduction?.factor ?? 1))
        guard let original = reduction?.original else { return }
        writer.write(original.format.rawValue)
        writer.write(UInt32(original.width))
        writer.write(UInt32(original.height))
        writer.write(UInt8(original.orientation))
        writer.write(UInt8(original.hasAlpha.map { $0 ? 1 : 0 } ?? 2))
    }

    private static func readReduction(_ reader: inout MessageReader) throws(WorkerMessageError) -> Reduction? {
        let factor = try reader.read(UInt8.self, in: 1...4, "factor")
        guard factor > 1 else { return nil }
        guard Mezzanine.factors.contains(factor) else { throw .field("factor") }
        let format = try reader.read(ImageFormat.self, "format")
        let width = try reader.read(UInt32.self, in: sides, "width")
        let height = try reader.read(UInt32.self, in: sides, "height")
        let orientation = try reader.read(UInt8.self, in: 1...8, "orientation")
        let alpha = try reader.read(UInt8.self, in: 0...2, "alpha")
        return Reduction(
            factor: factor,
            original: ImageHeader(
                format: format,
                width: width,
                height: height,
                orientation: orientation,
                hasAlpha: alpha == 2 ? nil : alpha == 1
            )
        )
    }

    private static let sides = 1...Int(Int32.max)
    static let lengths = 1...Int.max
    private static let counts = 1...Int(UInt32.max)

    private func validate() throws(WorkerMessageError) {
        guard Self.lengths.contains(sourceLength) else { throw .field("sourceLength") }
        guard Self.counts.contains(deadlineMilliseconds) else { throw .field("deadline") }
        guard Self.lengths.contains(maximumPixels) else { throw .field("maximumPixels") }
        guard Self.counts.contains(maximumFrames) else { throw .field("maximumFrames") }
        guard Self.lengths.contains(maximumAnimation) else { throw .field("maximumAnimation") }
        if let reduction {
            guard Mezzanine.factors.contains(reduction.factor) else { throw .field("factor") }
            guard Self.sides.contains(reduction.original.width) else { throw .field("width") }
            guard Self.sides.contains(reduction.original.height) else { throw .field("height") }
            guard (1...8).contains(reduction.original.orientation) else { throw .field("orientation") }
        }
        guard (1...WorkerMessage.maximumOutputs).contains(outputs.count) else { throw .field("outputs") }
        for output in outputs {
            guard output.plan.utf8.count <= WorkerMessage.maximumPlanSize else { throw .field("plan") }
            guard output.plan.unicodeScalars.allSatisfy({ !$0.isControl }) else { throw .field("plan") }
            for quality in [output.quality.jpeg, output.quality.webp, output.quality.avif] {
                guard (1...100).contains(quality) else { throw .field("quality") }
            }
            guard output.quality.webpOptions.isValid else { throw .field("webp") }
            guard EncodingSettings.efforts.contains(output.quality.avifEffort) else { throw .field("effort") }
            try output.validateSearch()
        }
        guard Self.lengths.contains(maximumSourceLength) else { throw .field("maximumSourceLength") }
        try validateIngredients()
    }
}
