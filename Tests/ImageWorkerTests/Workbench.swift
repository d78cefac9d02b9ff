import CLinux
import CVips
import Glibc
import ImagePlan
import TestSupport
import Testing
@testable import ImageWorker

/// Runs jobs in the test process and inspects their results.
enum Workbench {
    static let isStarted: Bool = {
        // libvips' warnings about broken files are expected here.
        unsafe setenv("VIPS_WARNING", "0", 1)
        do throws(VipsError) {
            try VipsRuntime.start()
            return true
        } catch {
            return false
        }
    }()

    /// Whether the installed libraries read a format.
    static func decodes(_ format: ImageFormat) -> Bool {
        precondition(isStarted)
        return CoderRegistry.coder(for: format)?.isDecoderThere ?? false
    }

    /// Whether the installed libraries write a format.
    static func encodes(_ format: ImageFormat) -> Bool {
        precondition(isStarted)
        return CoderRegistry.encoders[format] != nil
    }

    struct Made {
        var description: WorkerReply.Output
        var bytes: [UInt8]
    }

    /// Makes one output of a source, `query` in the request language.
    static func make(
        _ query: String,
        of source: [UInt8],
        as format: ImageFormat,
        bucket: FormatBucket = .rest,
        maximumPixels: Int = 50_000_000,
        maximumFrames: Int = 256,
        milliseconds: Int = 20_000,
        maximumAnimation: Int = AnimationLimits.standardPixels,
        givesOriginals: Bool = true
    ) throws -> Made {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return try make(
            .init(plan: plan.canonicalText, bucket: bucket, quality: QualityDefaults()),
            of: source,
            as: format,
            maximumPixels: maximumPixels,
            maximumFrames: maximumFrames,
            milliseconds: milliseconds,
            maximumAnimation: maximumAnimation,
            givesOriginals: givesOriginals
        )
    }

    /// Makes one output of a source with auxiliary images, by name.
    static func make(
        _ query: String,
        of source: [UInt8],
        as format: ImageFormat = .png,
        with auxiliaries: [(name: String, bytes: [UInt8], format: ImageFormat)],
        maximumPixels: Int = 50_000_000
    ) throws -> Made {
        precondition(isStarted)
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        var job = job(of: source, as: format, [plan.canonicalText])
        job.auxiliaries = auxiliaries.map { auxiliary in
            WorkerJob.Auxiliary(
                name: auxiliary.name,
                length: auxiliary.bytes.count,
                format: auxiliary.format,
                maximumPixels: maximumPixels
            )
        }
        let files = [source] + auxiliaries.map(\.bytes)
        let answer = JobRunner(job: job).run(descriptors: try files.map { try memoryFile($0) })
        let outputs = try answer.reply.result.get()
        return Made(description: outputs[0], bytes: answer.pictures[0].copy)
    }

    /// Makes one output within limits.
    static func make(_ query: String, of source: [UInt8], as format: ImageFormat, limits: AnimationLimits) throws
        -> Made
    {
        precondition(isStarted)
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        var job = job(of: source, as: format, [plan.canonicalText])
        job.animation = limits
        let answer = JobRunner(job: job).run(descriptors: [try memoryFile(source)])
        return Made(description: try answer.reply.result.get()[0], bytes: answer.pictures[0].copy)
    }

    /// Removes the metadata from a source.
    static func clean(_ source: [UInt8], as format: ImageFormat) throws -> Made {
        try make(
            .init(plan: MetadataCleaner.planText, bucket: .rest, quality: QualityDefaults()),
            of: source,
            as: format
        )
    }

    /// Makes the outputs of one job; `queries` are in the request language, or special plans.
    static func makeAll(_ queries: [String], of source: [UInt8], as format: ImageFormat) throws -> [Made] {
        precondition(isStarted)
        let plans = try queries.map { query in
            query.contains("/")
                ? query : try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
        }
        return try run(plans, of: source, as: format)
    }

    /// Makes one output.
    static func make(
        _ output: WorkerJob.Output,
        of source: [UInt8],
        as format: ImageFormat,
        maximumPixels: Int = 50_000_000,
        maximumFrames: Int = 256,
        milliseconds: Int = 20_000,
        maximumAnimation: Int = AnimationLimits.standardPixels,
        givesOriginals: Bool = true
    ) throws -> Made {
        precondition(isStarted)
        var job = job(of: source, as: format, [])
        job.outputs = [output]
        job.deadlineMilliseconds = milliseconds
        job.maximumPixels = maximumPixels
        job.animation = AnimationLimits(
            frames: maximumFrames,
            pixels: maximumAnimation,
            givesOriginals: givesOriginals
        )
        let answer = JobRunner(job: job).run(descriptors: [try memoryFile(source)])
        let outputs = try answer.reply.result.get()
        return Made(description: outputs[0], bytes: answer.pictures[0].copy)
    }

    /// Makes outputs of a source in one job, by their canonical texts.
    static func run(
        _ plans: [String],
        of source: [UInt8],
        as format: ImageFormat,
        reduction: Reduction? = nil
    ) throws -> [Made] {
        precondition(isStarted)
        var job = job(of: source, as: format, plans)
        job.reduction = reduction
        let answer = JobRunner(job: job).run(descriptors: [try memoryFile(source)])
        return zip(try answer.reply.result.get(), answer.pictures).map { Made(description: $0, bytes: $1.copy) }
    }

    /// A job of plans' canonical texts.
    private static func job(of source: [UInt8], as format: ImageFormat, _ plans: [String]) -> WorkerJob {
        var job = WorkerJob()
        job.sourceLength = source.count
        job.sourceFormat = format
        job.deadlineMilliseconds = 20_000
        job.maximumPixels = 50_000_000
        job.outputs = plans.map { .init(plan: $0, bucket: .rest, quality: QualityDefaults()) }
        return job
    }

    /// Returns the placeholder's text of a job with a given time left.
    static func placeholderText(of source: [UInt8], as format: ImageFormat, milliseconds: Int) throws -> String {
        precondition(isStarted)
        let mapping = try SourceMapping(descriptor: memoryFile(source), length: source.count)
        let decoder = try SourceDecoder(mapping, format: format)
        let deadline = Deadline(milliseconds: milliseconds)
        let maker = OutputMaker(
            decoder: decoder,
            facts: try decoder.facts(),
            output: .init(plan: Placeholder.planText, bucket: .rest, quality: QualityDefaults()),
            maximumPixels: 50_000_000,
            limits: AnimationLimits(),
            deadline: deadline
        )
        return withExtendedLifetime((mapping, deadline)) {
            String(decoding: maker.makePlaceholder().encoded.copy, as: UTF8.self)
        }
    }

    /// A source in memory, as decoded by its coder.
    static func decoded(_ source: [UInt8], as format: ImageFormat) throws -> Raster {
        precondition(isStarted)
        let mapping = try SourceMapping(descriptor: memoryFile(source), length: source.count)
        return try withExtendedLifetime(mapping) { try SourceDecoder(mapping, format: format).open().inMemory() }
    }

    /// A maker of one output of a source, a plan's canonical text.
    static func maker(_ plan: String, _ decoder: SourceDecoder, _ deadline: Deadline) throws -> OutputMaker {
        OutputMaker(
            decoder: decoder,
            facts: try decoder.facts(),
            output: .init(plan: plan, bucket: .rest, quality: QualityDefaults()),
            maximumPixels: 50_000_000,
            limits: AnimationLimits(),
            deadline: deadline
        )
    }

    /// Calls `body` with a source as workers map it.
    static func mapped<Result>(_ source: [UInt8], _ body: (SourceMapping) throws -> Result) throws -> Result {
        precondition(isStarted)
        let mapping = try SourceMapping(descriptor: memoryFile(source), length: source.count)
        return try withExtendedLifetime(mapping) { try body(mapping) }
    }

    /// Calls `body` with a decoder of a source; rasters must not outlive the call.
    static func withDecoder<Result>(
        of source: [UInt8],
        as format: ImageFormat,
        _ body: (SourceDecoder) throws -> Result
    ) throws -> Result {
        precondition(isStarted)
        let mapping = try SourceMapping(descriptor: memoryFile(source), length: source.count)
        return try withExtendedLifetime(mapping) { try body(SourceDecoder(mapping, format: format)) }
    }

    /// Makes a PNG of a source and decodes it.
    static func pixels(
        _ query: String,
        of source: [UInt8],
        as format: ImageFormat = .png
    ) throws -> PixelImage {
        try decode(make("\(query)&format=png", of: source, as: format))
    }

    /// Decodes a result: all frames, stacked, as RGB or RGBA.
    static func decode(_ made: Made) throws -> PixelImage {
        try decode(made.bytes, as: #require(made.description.format.image))
    }

    /// Decodes a file whose frame has at most `maximumPixels`.
    static func decode(
        _ bytes: [UInt8],
        as format: ImageFormat,
        maximumPixels: Int = 50_000_000
    ) throws -> PixelImage {
        precondition(isStarted)
        let mapping = try SourceMapping(descriptor: memoryFile(bytes), length: bytes.count)
        let decoder = try SourceDecoder(mapping, format: format)
        guard try decoder.facts().size.pixels <= maximumPixels else { throw WorkerReply.Failure.refused("pixels") }
        let deadline = Deadline(milliseconds: 60_000)
        let raster = try decoder.open(allFrames: true).inMemory().convertedToSRGB(deadline)
        return try withExtendedLifetime((mapping, deadline)) { try pixels(of: raster) }
    }

    /// Wraps a file as a result, for inspection.
    static func made(_ bytes: [UInt8], as format: ImageFormat) throws -> Made {
        let description = WorkerReply.Output(
            format: .picture(format),
            width: 1,
            height: 1,
            frames: 1,
            hasAlpha: false,
            length: bytes.count
        )
        return Made(description: description, bytes: bytes)
    }

    /// Metadata fields of an encoded picture.
    static func metadata(_ made: Made) throws -> Raster {
        let mapping = try SourceMapping(descriptor: memoryFile(made.bytes), length: made.bytes.count)
        let raster = try SourceDecoder(mapping, format: #require(made.description.format.image)).open(allFrames: true)
            .inMemory()
        return withExtendedLifetime(mapping) { raster }
    }

    /// Encodes a raster with copyright and camera in EXIF, and XMP.
    static func tagged(_ raster: Raster, as format: ImageFormat) throws -> [UInt8] {
        let raster = try raster.inMemory()
        let image = unsafe raster.pointer
        for (field, value) in [
            ("exif-ifd0-Copyright", "Someone (Someone, ASCII, 8 components, 8 bytes)"),
            ("exif-ifd0-Make", "Camera (Camera, ASCII, 7 components, 7 bytes)"),
        ] {
            unsafe vips_image_set_string(image, field, value)
        }
        let xmp = Array("<x:xmpmeta/>".utf8)
        unsafe vips_image_set_blob_copy(image, "xmp-data", xmp, xmp.count)
        return try encodeWithMetadata(raster, as: format)
    }

    /// Encodes a raster unchanged, with all metadata, with libvips' savers.
    static func encodeWithMetadata(_ raster: Raster, as format: ImageFormat) throws -> [UInt8] {
        precondition(isStarted)
        CoderRegistry.coder(for: format)?.saver?.load()
        return try JPEGCoder().save { bytes, count in
            switch format {
            case .jpeg:
                return unsafe edge_vips_save_jpeg(
                    raster.pointer,
                    &bytes,
                    &count,
                    95,
                    1,
                    0,
                    VIPS_FOREIGN_SUBSAMPLE_ON,
                    0
                )
            case .webp: return unsafe edge_vips_save_webp(raster.pointer, &bytes, &count)
            case .gif: return unsafe edge_vips_save_gif(raster.pointer, &bytes, &count, 3, 3, 0, 0)
            case .png: return unsafe edge_vips_save_png(raster.pointer, &bytes, &count, 6, 0, 0)
            case .tiff: return unsafe edge_vips_save_tiff(raster.pointer, &bytes, &count, 0)
            // Lossless.
            case .jxl: return unsafe edge_vips_save_jxl(raster.pointer, &bytes, &count, 100, 1, 3, 0)
            default: return -1
            }
        }
        .copy
    }

    static func pixels(of raster: Raster) throws -> PixelImage {
        var count = 0
        guard let memory = unsafe vips_image_write_to_memory(raster.pointer, &count) else {
            throw VipsError.take("write")
        }
        defer { unsafe g_free(memory) }
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: memory, count: count))
        return PixelImage(width: raster.width, height: raster.height, channels: raster.bands, bytes: bytes)
    }

    static func png(_ image: PixelImage) -> [UInt8] {
        image.channels == 3
            ? TestImages.png(width: image.width, height: image.height, rgb: image.bytes)
            : TestImages.png(width: image.width, height: image.height, rgba: image.bytes)
    }

    static func photograph(_ name: String) throws -> [UInt8] {
        try #require(SharedImages.bytes(name))
    }

    private static func memoryFile(_ bytes: [UInt8]) throws -> CInt {
        let descriptor = unsafe edge_memfd_create("test")
        try #require(descriptor >= 0)
        let written = unsafe write(descriptor, bytes, bytes.count)
        try #require(written == bytes.count)
        return descriptor
    }
}

extension Workbench {
    /// The score of an image against another of the same size.
    static func score(_ reference: PixelImage, _ image: PixelImage) -> Double {
        let reference = unsafe reference.bytes.withUnsafeBytes { bytes in
            PerceptualScore(
                of: bytes,
                width: reference.width,
                height: reference.height,
                bands: reference.channels
            )
        }
        return unsafe image.bytes.withUnsafeBytes { bytes in reference(of: bytes, bands: image.channels) }
    }
}
