import HTTPCache
import ImagePlan
import LinuxSystem

/// Reads an original's format and size from its first bytes.
enum OriginalHeader {
    /// Bytes that are read first.
    private static let firstLook = 64 << 10
    static let unknown = PipelineError.notAnImage("the image format is unknown")

    /// Reads an original up to the end of its header; blocks.
    ///
    /// That may be all of it: photographs have megabytes of metadata before their size, the directory of a TIFF may follow the pixels,
    /// and the frames of an animation are counted.
    ///
    /// - Throws: `.notAnImage` or `.broken` if the bytes are not a valid image header; content that is no image is `other` if the
    ///   source passes it on.
    static func read(_ body: OriginBody, of source: SourceRule) throws(PipelineError) -> ImageHeader {
        var look = min(body.length, firstLook)
        while true {
            guard let bytes = body.file.read(count: look) else {
                throw .originProtocol("the original could not be read")
            }
            switch try examine(bytes, of: body.length, from: source) {
            case .found(let header): return header.examined(in: body)
            case .needs(let wanted):
                // ImageSniffer promises not to ask for more than the whole file; if it did, this would be an endless loop.
                guard look < body.length else { throw .broken("the image header is incomplete") }
                look = min(body.length, max(wanted, look * 4))
            }
        }
    }

    /// Returns the format of an original that is still arriving, from what has arrived; `nil` if that is not enough.
    static func format(ofArriving file: GrowingFile) -> ImageFormat? {
        guard let bytes = file.file.read(count: min(file.progress.count, firstLook)),
            case .found(let header)? = try? examine(bytes, of: file.expected ?? .max)
        else { return nil }
        return header.format
    }

    /// What the first bytes of an original tell.
    enum Finding {
        case found(ImageHeader)
        /// The header ends later: this many bytes are needed from the beginning.
        case needs(Int)
    }

    /// Examines the first bytes of an original of a known or assumed length.
    ///
    /// - Throws: like `read`.
    static func examine(
        _ bytes: [UInt8],
        of length: Int,
        from source: SourceRule
    ) throws(PipelineError) -> Finding {
        do throws(PipelineError) {
            return try examine(bytes, of: length)
        } catch {
            guard error == unknown, source.unsupported == .pass else { throw error }
            return .found(ImageHeader(format: .other, width: 0, height: 0))
        }
    }

    /// Examines the first bytes of an image.
    ///
    /// - Throws: `.notAnImage` or `.broken` if they are not the beginning of one.
    static func examine(_ bytes: [UInt8], of length: Int) throws(PipelineError) -> Finding {
        switch ImageSniffer.sniff(bytes.span, totalLength: length) {
        case .image(let header) where header.format == .svgz:
            guard let inside = OriginMarkup.header(of: bytes.span, claimed: header) else { throw unknown }
            return .found(inside)
        case .image(let header): return .found(header)
        case .unknown: throw unknown
        case .malformed(_, let reason): throw .broken(reason)
        case .needsMore(let wanted): return .needs(wanted)
        }
    }
}

extension ImageHeader {
    /// Returns the header with what the whole body, or what has arrived of it, tells of C2PA manifests and a gain map.
    ///
    /// Reads small parts of the file.
    func examined(in body: OriginBody) -> ImageHeader {
        var header = self
        header.hasCredentials = ManifestSearch.finds(in: format, length: body.length) { body.file.read($0) }
        if format == .jpeg {
            header.hasGainMap = GainMapSearch.find(length: body.length) { body.file.read($0) } != nil
        }
        return header
    }
}

/// Recognises gzip-compressed SVG by its first bytes; the daemon expands no more than that.
enum OriginMarkup {
    /// The root element must begin within this number of bytes, as in uncompressed markup.
    private static let firstLook = 64 << 10

    /// Returns the header of compressed SVG; `nil` for any other gzip content.
    static func header(of coded: Span<UInt8>, claimed: ImageHeader) -> ImageHeader? {
        let beginning = GzipExpansion(of: coded, atMost: firstLook)
        guard beginning.end != .damaged else { return nil }
        // The length of truncated content is unknown; the root element decides.
        let length = beginning.end == .complete ? beginning.bytes.count : Int.max
        guard case .image(let inside) = ImageSniffer.sniff(beginning.bytes.span, totalLength: length),
            inside.format == .svg
        else { return nil }
        return claimed
    }
}

/// Refuses originals by their sniffed header, before any decoder reads the file.
enum HeaderGate {
    /// Returns why an original must not be transformed; `nil` if it may be.
    static func refusal(of header: ImageHeader, plan: String, source: SourceRule) -> PipelineError? {
        let limits = source.limits
        // Removing metadata decodes nothing, so only the format matters.
        if plan == MetadataCleaner.planText {
            return MetadataCleaner.supports(header.format)
                ? nil : .refused("\(header.format.mediaType) cannot be served without its metadata")
        }
        // Whether the installed libraries can decode the format is checked by the worker.
        if let refusal = decodingRefusal(of: header.format, source: source) { return refusal }
        let (pixels, overflow) = header.width.multipliedReportingOverflow(by: header.height)
        guard !overflow, pixels <= limits.pixels else {
            return .refused(
                "\(header.width)×\(header.height) pixels exceed the limit of \(limits.pixels) (limits.pixels)"
            )
        }
        // AnimationChoice limits the decoded frames.
        return DecodeBudget.refusal(of: header, plan: plan, within: limits.decodeBytes).map { .refused($0) }
    }

    /// Returns why content of a format is not served, transformed or not; `nil` if it is.
    static func refusal(of format: ImageFormat, source: SourceRule) -> PipelineError? {
        source.unsupported == .pass ? nil : decodingRefusal(of: format, source: source)
    }

    private static func decodingRefusal(of format: ImageFormat, source: SourceRule) -> PipelineError? {
        guard format != .other else { return OriginalHeader.unknown }
        let use = source.formats[format]
        guard !use.reads else { return nil }
        let name = format == .svgz ? ImageFormat.svg : format
        return .notAnImage("\(format.mediaType) is not decoded (formats.\(name) is \(use.rawValue))")
    }
}
