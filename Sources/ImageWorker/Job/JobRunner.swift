import ImagePlan

/// Runs one job: maps the source, checks its limits, makes the outputs and converts errors to failures of the protocol.
struct JobRunner {
    let job: WorkerJob

    /// A reply and the bytes of each output.
    struct Answer {
        var reply: WorkerReply
        var pictures: [EncodedPicture]
    }

    /// Runs the job and closes the descriptors: the source's, then those of the auxiliary images.
    ///
    /// - Parameter isUnwanted: whether the daemon has cancelled the job.
    func run(descriptors: [CInt], isUnwanted: @escaping () -> Bool = { false }) -> Answer {
        // An unread error of an earlier libvips call would be taken for this job's.
        VipsError.forget()
        let deadline = Deadline(milliseconds: job.deadlineMilliseconds, isUnwanted: isUnwanted)
        let lengths = [job.sourceLength] + job.auxiliaries.map(\.length)
        // Map or close every descriptor before the first failure is thrown.
        let mappings = zip(descriptors, lengths).map { descriptor, length in
            Result { () throws(WorkerReply.Failure) in try SourceMapping(descriptor: descriptor, length: length) }
        }
        do {
            let formats = [job.sourceFormat] + job.auxiliaries.map(\.format)
            var sources = try zip(formats, mappings).map { format, mapping in
                format == .svgz
                    ? try mapping.get().expanded(atMost: job.maximumSourceLength) : try mapping.get()
            }
            let mapping = sources.removeFirst()
            let auxiliaries = try AuxiliaryPictures(job.auxiliaries, sources, deadline)
            // No raster of the mappings outlives this call.
            return try withExtendedLifetime((mapping, sources, deadline)) { try make(mapping, auxiliaries, deadline) }
        } catch {
            return Answer(
                reply: WorkerReply(id: job.id, result: .failure(Self.failure(error, deadline)), timing: .init()),
                pictures: []
            )
        }
    }

    private func make(
        _ mapping: SourceMapping,
        _ auxiliaries: AuxiliaryPictures,
        _ deadline: Deadline
    ) throws -> Answer {
        if job.outputs.count == 1 {
            if job.outputs[0].plan == MetadataCleaner.planText { return try clean(mapping) }
            if let length = OriginalTranscoding.lengthToRestore(inPlan: job.outputs[0].plan) {
                return try restore(mapping, length, deadline)
            }
        }
        let decoder = try SourceDecoder(mapping, format: job.sourceFormat.expanded, reduction: job.reduction)
        var timing = WorkerReply.Timing()
        let makers = try makers(decoder, deadline)
        let shared = try SharedDecode(of: decoder, for: makers, deadline)
        var made: [(index: Int, output: OutputMaker.Made)] = []
        for index in try Self.order(of: makers, shared) {
            var maker = makers[index]
            maker.shared = shared
            maker.isAlone = makers.count == 1
            maker.auxiliaries = auxiliaries
            maker.unwritten = job.unwritten
            // A placeholder that is late must not fail the finished result.
            if !maker.isPlaceholder || made.isEmpty { try deadline.check() }
            let output = try maker.make()
            made.append((index, output))
            timing.add(output.timing)
        }
        made.sort { $0.index < $1.index }
        timing.add(WorkerReply.Timing(decode: shared?.microseconds ?? 0))
        let outputs = made.map(\.output.description)
        let pictures = made.map(\.output.encoded)
        return Answer(reply: WorkerReply(id: job.id, result: .success(outputs), timing: timing), pictures: pictures)
    }

    /// Returns the makers of the outputs, each with the source's facts under the output's settings.
    private func makers(_ decoder: SourceDecoder, _ deadline: Deadline) throws -> [OutputMaker] {
        var known: [View: Result<SourceDecoder.Facts, any Error>] = [:]
        var makers: [OutputMaker] = []
        // Images first: a placeholder is useless without its image.
        let isPlaceholder = job.outputs.map { $0.plan == Placeholder.planText }
        let indices =
            job.outputs.indices.filter { !isPlaceholder[$0] } + job.outputs.indices.filter { isPlaceholder[$0] }
        for index in indices {
            let view = View(of: job.outputs[index])
            let facts = known[view] ?? Result { try checkedFacts(decoder, of: view) }
            known[view] = facts
            let isRefused = if case .failure = facts { isPlaceholder[index] && !makers.isEmpty } else { false }
            makers.append(
                OutputMaker(
                    decoder: decoder,
                    facts: isRefused ? makers[0].facts : try facts.get(),
                    output: job.outputs[index],
                    maximumPixels: job.maximumPixels,
                    limits: job.animation,
                    deadline: deadline,
                    isRefused: isRefused
                )
            )
        }
        return zip(indices, makers).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The page and resolution at which an output reads the source.
    private struct View: Hashable {
        var dpi: Int?
        var page = 0

        init(of output: WorkerJob.Output) {
            // Special plans use the first page; unreadable plans fail later.
            let settings = (try? Plan(canonicalText: PictureDescription.reading(output.plan).0))?.settings
            dpi = settings?.dpi
            page = settings?.animation.page ?? 0
        }
    }

    /// The order of the outputs: with a streamed source, the output that reads it comes first.
    private static func order(of makers: [OutputMaker], _ shared: SharedDecode?) throws -> [Int] {
        guard let streamed = shared?.streamed else { return Array(makers.indices) }
        let isFirst = try makers.map { try !$0.isPlaceholder && $0.loadFactor() == streamed }
        return makers.indices.filter { isFirst[$0] } + makers.indices.filter { !isFirst[$0] }
    }

    /// Reads the source's facts and checks its size before any pixel is decoded.
    private func checkedFacts(_ decoder: SourceDecoder, of view: View) throws -> SourceDecoder.Facts {
        let facts = try decoder.facts(dpi: view.dpi ?? PlanSetting.standardDPI, page: view.page)
        guard facts.decodedPixels <= job.maximumPixels else {
            throw WorkerReply.Failure.refused(
                "\(facts.decodedPixels) pixels; the limit is \(job.maximumPixels)",
                parameter: decoder.drawsAtAnySize && view.dpi != nil ? PlanSetting.dpi.name : nil
            )
        }
        return facts
    }

    /// Returns the source without its metadata, without decoding it.
    private func clean(_ mapping: SourceMapping) throws -> Answer {
        var clock = StageClock()
        var (header, cleaned) = try OriginalFile(mapping: mapping).read()
        if header.format == .svg {
            // The header has no size; librsvg computes it from the markup.
            let size = try SourceDecoder(mapping, format: .svg).facts().size
            (header.width, header.height) = (size.width, size.height)
        }
        try OutputLimit.check(cleaned.count)
        clock.endTransform()
        let output = WorkerReply.Output(of: header, length: cleaned.count)
        return Answer(
            reply: WorkerReply(id: job.id, result: .success([output]), timing: clock.timing),
            pictures: [EncodedPicture(cleaned)]
        )
    }

    /// Returns the JPEG from which a JPEG XL was made.
    private func restore(_ mapping: SourceMapping, _ length: Int, _ deadline: Deadline) throws -> Answer {
        var clock = StageClock()
        try deadline.check()
        guard (1...job.maximumSourceLength).contains(length) else {
            throw WorkerReply.Failure.refused("a JPEG of \(length) bytes is over the limit")
        }
        try OutputLimit.check(length)
        guard let jpeg = try JPEGTranscoder.restore(mapping, atMost: length),
            case .image(let header) = ImageSniffer.sniff(jpeg.span, totalLength: jpeg.count)
        else { throw WorkerReply.Failure.broken("libjxl: no JPEG can be restored") }
        clock.endTransform()
        let output = WorkerReply.Output(of: header, length: jpeg.count)
        return Answer(
            reply: WorkerReply(id: job.id, result: .success([output]), timing: clock.timing),
            pictures: [EncodedPicture(jpeg)]
        )
    }

    /// Converts an error to a failure of the protocol.
    private static func failure(_ error: any Error, _ deadline: Deadline) -> WorkerReply.Failure {
        switch error {
        case _ where deadline.isCancelled: .cancelled
        case let failure as WorkerReply.Failure: failure
        case MetadataCleaner.Stop.broken(let reason): .broken(reason)
        case MetadataCleaner.Stop.unsupported(let format):
            .refused("\(format) cannot be served without its metadata")
        case is VipsError where deadline.hasPassed: .deadline
        case let error as VipsError: error.isUnsupported ? .unsupported(error.text) : .broken(error.text)
        // This includes unreadable plans: another worker could not read them either, so the worker must not be restarted.
        case let error as RequestError: .refused(error.description, parameter: error.parameter)
        default: .worker("\(error)")
        }
    }
}

extension VipsError {
    /// Whether a decoder reports a missing feature rather than a damaged file.
    fileprivate var isUnsupported: Bool {
        text.contains("nsupported") || text.contains("not supported")
    }
}

extension WorkerReply.Timing {
    /// Adds the times of another output.
    fileprivate mutating func add(_ other: WorkerReply.Timing) {
        decode = decode.addingReportingOverflow(other.decode).partialValue
        transform = transform.addingReportingOverflow(other.transform).partialValue
        encode = encode.addingReportingOverflow(other.encode).partialValue
    }
}
