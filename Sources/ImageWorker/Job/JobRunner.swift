import ImagePlan

/// Runs one job: maps the source, checks its limits, makes the outputs, and tells every failure in the protocol's words.
struct JobRunner {
    let job: WorkerJob

    /// The answer, and the bytes of each output.
    struct Answer {
        var reply: WorkerReply
        var pictures: [EncodedPicture]
    }

    /// Runs the job; the descriptors, the source's and then those of its ingredients, are closed.
    func run(descriptors: [CInt]) -> Answer {
        // Where libvips failed and nobody asked why, the words would be taken for this job's.
        VipsError.forget()
        let deadline = Deadline(milliseconds: job.deadlineMilliseconds)
        let lengths = [job.sourceLength] + job.ingredients.map(\.length)
        // Each of them is mapped, or closed, before the first failure counts.
        let mappings = zip(descriptors, lengths).map { descriptor, length in
            Result { () throws(WorkerReply.Failure) in try SourceMapping(descriptor: descriptor, length: length) }
        }
        do {
            let formats = [job.sourceFormat] + job.ingredients.map(\.format)
            var sources = try zip(formats, mappings).map { format, mapping in
                format == .svgz
                    ? try mapping.get().expanded(atMost: job.maximumSourceLength) : try mapping.get()
            }
            let mapping = sources.removeFirst()
            let ingredients = try IngredientPictures(job.ingredients, sources, deadline)
            // Nothing that libvips made of the mappings outlives this call.
            return try withExtendedLifetime((mapping, sources, deadline)) { try make(mapping, ingredients, deadline) }
        } catch {
            return Answer(
                reply: WorkerReply(id: job.id, result: .failure(Self.failure(error, deadline)), timing: .init()),
                pictures: []
            )
        }
    }

    private func make(
        _ mapping: SourceMapping,
        _ ingredients: IngredientPictures,
        _ deadline: Deadline
    ) throws -> Answer {
        if job.outputs.count == 1, job.outputs[0].plan == MetadataCleaner.planText { return try clean(mapping) }
        let decoder = try SourceDecoder(mapping, format: job.sourceFormat.expanded, reduction: job.reduction)
        var timing = WorkerReply.Timing()
        let makers = try makers(decoder, deadline)
        let shared = try SharedDecode(of: decoder, for: makers, deadline)
        var made: [(index: Int, output: OutputMaker.Made)] = []
        for index in try Self.order(of: makers, shared) {
            var maker = makers[index]
            maker.shared = shared
            maker.ingredients = ingredients
            // A picture that is made is given, whatever becomes of what was to come with it.
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

    /// The makers of the outputs, each with what the source is by that output's own settings.
    private func makers(_ decoder: SourceDecoder, _ deadline: Deadline) throws -> [OutputMaker] {
        var known: [View: Result<SourceDecoder.Facts, any Error>] = [:]
        var makers: [OutputMaker] = []
        // Pictures first: what shows before them is of no use without them.
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

    /// What of a source an output sees.
    private struct View: Hashable {
        var dpi: Int?
        var page = 0

        init(of output: WorkerJob.Output) {
            // What is not a plan is of the first page, and what cannot be read fails when it is made.
            let settings = (try? Plan(canonicalText: PictureDescription.reading(output.plan).0))?.settings
            dpi = settings?.dpi
            page = settings?.animation.page ?? 0
        }
    }

    /// The order in which outputs are made: first the one whose rows the others are made of.
    private static func order(of makers: [OutputMaker], _ shared: SharedDecode?) throws -> [Int] {
        guard shared?.isStreamed == true else { return Array(makers.indices) }
        let isFirst = try makers.map { try !$0.isPlaceholder && $0.loadFactor() == 1 }
        return makers.indices.filter { isFirst[$0] } + makers.indices.filter { !isFirst[$0] }
    }

    /// The source's size and kind, before any pixel is decoded.
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

    /// The source without its metadata: no decoder sees it.
    private func clean(_ mapping: SourceMapping) throws -> Answer {
        var clock = StageClock()
        let (header, cleaned) = try OriginalFile(mapping: mapping).read()
        try OutputLimit.check(cleaned.count)
        clock.endTransform()
        let output = WorkerReply.Output(of: header, length: cleaned.count)
        return Answer(
            reply: WorkerReply(id: job.id, result: .success([output]), timing: clock.timing),
            pictures: [EncodedPicture(cleaned)]
        )
    }

    /// The protocol's word for an error.
    private static func failure(_ error: any Error, _ deadline: Deadline) -> WorkerReply.Failure {
        switch error {
        case let failure as WorkerReply.Failure: failure
        case MetadataCleaner.Stop.broken(let reason): .broken(reason)
        case MetadataCleaner.Stop.unsupported(let format):
            .refused("\(format) cannot be given without its metadata")
        case is VipsError where deadline.hasPassed: .deadline
        case let error as VipsError: error.isUnsupported ? .unsupported(error.text) : .broken(error.text)
        // A plan that cannot be read as well: another worker could read it no better, and none must be lost for it.
        case let error as RequestError: .refused(error.description, parameter: error.parameter)
        default: .worker("\(error)")
        }
    }
}

extension VipsError {
    /// Whether a decoder says that it lacks a feature, and not that the file is damaged.
    fileprivate var isUnsupported: Bool {
        text.contains("nsupported") || text.contains("not supported")
    }
}

extension WorkerReply.Timing {
    /// Adds another output's time.
    fileprivate mutating func add(_ other: WorkerReply.Timing) {
        decode = decode.addingReportingOverflow(other.decode).partialValue
        transform = transform.addingReportingOverflow(other.transform).partialValue
        encode = encode.addingReportingOverflow(other.encode).partialValue
    }
}
