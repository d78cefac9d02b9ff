/// A job for `edgeprint-worker`: a source and the outputs to make from it.
///
/// The source and the auxiliary images are passed with the message as read-only descriptors.
package struct WorkerJob: Hashable, Sendable {
    /// An identifier that the reply repeats.
    package var id: UInt64 = 0
    /// The length of the source in bytes, from offset 0 of its descriptor; at least 1.
    package var sourceLength = 0
    /// The sniffed format; the worker uses this format's loader and no other.
    package var sourceFormat = ImageFormat.jpeg
    /// The time that the worker may spend, in milliseconds, at least 1.
    ///
    /// The worker stops about then; the daemon kills it soon after.
    package var deadlineMilliseconds = 0
    /// The maximum pixels to decode per frame; at least 1.
    package var maximumPixels = 0
    /// The original that the source is a reduction of; `nil` if it is the original itself.
    package var reduction: Reduction?
    /// The results to make, 1–16.
    package var outputs: [Output] = []
    /// The maximum bytes of a compressed source (SVGZ) after expansion.
    package var maximumSourceLength = 64 << 20
    /// The limits on animations, and whether the original may be returned unchanged.
    package var animation = AnimationLimits()
    /// The formats that results may not have, as a bit mask of their numbers.
    package var unwrittenMask = 0
    /// The auxiliary images that the outputs' steps name, at most 8; their descriptors follow the source's in this order.
    package var auxiliaries: [Auxiliary] = []

    /// An auxiliary image, such as a watermark or a mask.
    package struct Auxiliary: Hashable, Sendable {
        /// The name in the plan (`AuxiliaryPath.text`).
        package var name: String
        /// The length in bytes, from offset 0 of its descriptor; at least 1.
        package var length: Int
        /// The sniffed format.
        package var format: ImageFormat
        /// The maximum pixels to decode; at least 1.
        package var maximumPixels: Int

        /// Creates a description.
        package init(name: String, length: Int, format: ImageFormat, maximumPixels: Int) {
            self.name = name
            self.length = length
            self.format = format
            self.maximumPixels = maximumPixels
        }
    }

    /// One result to make.
    package struct Output: Hashable, Sendable {
        /// The plan's canonical text (`Plan.canonicalText`), output settings included.
        package var plan: String
        /// The bucket that `format=auto` resolves in.
        package var bucket: FormatBucket
        /// The encoder settings for those that the plan does not set.
        package var quality: QualityDefaults
        /// The search for an encoding, beyond the plan.
        package var search: EncodingSearch

        /// Creates a description.
        package init(
            plan: String,
            bucket: FormatBucket,
            quality: QualityDefaults,
            search: EncodingSearch = EncodingSearch()
        ) {
            self.plan = plan
            self.bucket = bucket
            self.quality = quality
            self.search = search
        }
    }

    /// Creates a job whose required fields are unset; it does not encode until they are.
    package init() {}
}

extension WorkerJob {
    /// The formats that results may not have.
    package var unwritten: Set<ImageFormat> {
        get { Set(formatMask: unwrittenMask) }
        set { unwrittenMask = newValue.formatMask }
    }
}

extension WorkerJob {
    /// Returns the message that carries this job.
    ///
    /// - Throws: `WorkerMessageError` for a value out of the protocol's bounds.
    package func encoded() throws(WorkerMessageError) -> [UInt8] {
        try WorkerMessage.encode(.job) { writer throws(WorkerMessageError) in try write(to: &writer) }
    }

    /// Reads a job.
    ///
    /// - Throws: `WorkerMessageError` for anything but exactly one well-formed job.
    package init(decoding bytes: [UInt8]) throws(WorkerMessageError) {
        var reader = try WorkerMessage.open(bytes, as: .job)
        try self.init(from: &reader)
        try reader.finish()
    }
}

extension WorkerJob: FieldCoded {
    static var blank: WorkerJob { WorkerJob() }

    /// The order is that of protocol version 7: append new fields, those of outputs as one more `each`.
    static let fields: [MessageField<WorkerJob>] = [
        MessageField("id", \.id, .unsigned),
        MessageField("sourceLength", \.sourceLength, .uint64(1...Int.max)),
        MessageField("sourceFormat", \.sourceFormat, .enumeration),
        MessageField("deadline", \.deadlineMilliseconds, .uint32(1...Int(UInt32.max))),
        MessageField("maximumPixels", \.maximumPixels, .uint64(1...Int.max)),
        MessageField("maximumFrames", \.animation.frames, .uint32(1...Int(UInt32.max))),
        MessageField("reduction", \.reduction, .record(nil: 1)),
        MessageField("outputs", \.outputs, .list(1...WorkerMessage.maximumOutputs)),
        MessageField("maximumSourceLength", \.maximumSourceLength, .uint64(1...Int.max)),
        .each(of: \.outputs, [MessageField("effort", \.quality.avifEffort, .uint8(EncodingSettings.efforts))]),
        MessageField("maximumAnimation", \.animation.pixels, .uint64(1...Int.max)),
        MessageField("givesOriginals", \.animation.givesOriginals, .flag),
        .each(
            of: \.outputs,
            [
                MessageField("distance", \.quality.distance, .uint32(QualityDefaults.distances)),
                MessageField("smallest", \.search.takesSmallest, .flag),
            ]
        ),
        MessageField("auxiliaries", \.auxiliaries, .list(0...WorkerMessage.maximumAuxiliaries)),
        MessageField("decodeBytes", \.animation.bytes, .uint64(1...Int.max)),
        MessageField("unwritten", \.unwrittenMask, .uint32(0...Int(UInt32.max))),
        .each(
            of: \.outputs,
            [
                MessageField("quality", \.quality.jxl, .uint8(1...100)),
                MessageField("secondEffort", \.search.secondEffort, .uint8(1...9)),
            ]
        ),
    ]
}

extension WorkerJob.Output: FieldCoded {
    static var blank: Self { Self(plan: "", bucket: .rest, quality: QualityDefaults()) }

    static let fields: [MessageField<Self>] = [
        MessageField("plan", \.plan, .text(WorkerMessage.maximumPlanSize)),
        MessageField("bucket", \.bucket, .enumeration),
        MessageField("quality", \.quality.jpeg, .uint8(1...100)),
        MessageField("quality", \.quality.webp, .uint8(1...100)),
        MessageField("quality", \.quality.avif, .uint8(1...100)),
        MessageField("webp", \.quality.webpOptions, .record),
    ]
}

extension WorkerJob.Auxiliary: FieldCoded {
    static var blank: Self { Self(name: "", length: 0, format: .jpeg, maximumPixels: 0) }

    static let fields: [MessageField<Self>] = [
        MessageField("auxiliary", \.name, .text(AuxiliaryPath.longest)),
        MessageField("auxiliaryLength", \.length, .uint64(1...Int.max)),
        MessageField("auxiliaryFormat", \.format, .enumeration),
        MessageField("auxiliaryPixels", \.maximumPixels, .uint64(1...Int.max)),
    ]
}

extension Reduction: FieldCoded {
    static var blank: Reduction { Reduction(factor: 0, original: ImageHeader(format: .jpeg, width: 0, height: 0)) }

    static let fields: [MessageField<Reduction>] = [
        MessageField("factor", \.writtenFactor, .uint8(among: [0] + Mezzanine.factors)),
        MessageField("format", \.original.format, .enumeration),
        MessageField("width", \.original.width, .uint32(1...Int(Int32.max))),
        MessageField("height", \.original.height, .uint32(1...Int(Int32.max))),
        MessageField("orientation", \.original.orientation, .uint8(1...8)),
        MessageField("alpha", \.original.hasAlpha, .flag),
    ]
}

extension Reduction {
    /// The factor in messages: 0 for 1, which stands for a job without a reduction.
    fileprivate var writtenFactor: Int {
        get { factor == 1 ? 0 : factor }
        set { factor = newValue == 0 ? 1 : newValue }
    }
}

extension WebPOptions: FieldCoded {
    static var blank: WebPOptions { WebPOptions() }

    static let fields: [MessageField<WebPOptions>] =
        numbers.map { MessageField("webp", $0.path, .uint8($0.range)) } + flags.map { MessageField("webp", $0, .flag) }
}
