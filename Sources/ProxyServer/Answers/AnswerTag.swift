import ImagePipeline

/// What `Response.tag` says about a response, for statistics and the access log.
///
/// Bits 0–7 are the result, 8 is `RequestResult.unhandled`, 9–13 the format, 14 `shed`, 16–31 the source's number, and 32–63 the bytes of
/// content that a proxy sends in place of the daemon. A tag is a plain number, so that a hit neither allocates nor counts references for it. `Response.amount` has the bytes that an image saves.
struct AnswerTag {
    /// A response that refuses a request because of overload.
    static let shed: UInt64 = 1 << 14
    /// The largest number of a source.
    static let largestSource = 65_535

    let bits: UInt64

    init(_ bits: UInt64) { self.bits = bits }

    /// The format of an entity.
    @inline(__always)
    static func bits(of entity: Entity) -> UInt64 { UInt64(entity.format.rawValue) << 9 }

    /// The number of a source (`SourceNumbers`); 0 for none.
    static func bits(ofSource number: Int) -> UInt64 { UInt64(clamping: min(number, largestSource)) << 16 }

    /// The length of content that a proxy sends (`AccelRedirect`).
    static func bits(ofRedirected length: Int) -> UInt64 { UInt64(UInt32(clamping: length)) << 32 }

    var result: RequestResult { RequestResult(tag: bits) }
    /// Whether no handler saw the request.
    var isUnhandled: Bool { bits & RequestResult.unhandled != 0 }
    var isShed: Bool { bits & Self.shed != 0 }
    /// The format of an image; `nil` for other responses.
    var format: EntityFormat? { EntityFormat(rawValue: UInt8(truncatingIfNeeded: bits >> 9 & 0x1F)) }
    /// Whether the response is an image, and not a description of one (`format=json`, `blurhash`, `thumbhash`, `lqip`).
    var hasImage: Bool { format.map { $0 != .json && $0 != .text } ?? false }
    /// The source's number; 0 for none.
    var source: Int { Int(bits >> 16 & 0xFFFF) }
    /// The bytes of content that a proxy sends in place of the daemon.
    var redirected: Int { Int(bits >> 32) }
}

extension EntityFormat {
    /// The name in the access log and in statistics.
    var label: StaticString {
        switch self {
        case .jpeg: "jpeg"
        case .png: "png"
        case .gif: "gif"
        case .webp: "webp"
        case .avif: "avif"
        case .heic: "heic"
        case .tiff: "tiff"
        case .jxl: "jxl"
        case .jp2: "jp2"
        case .bmp: "bmp"
        case .ico: "ico"
        case .svg: "svg"
        case .pdf: "pdf"
        case .json: "json"
        case .text: "text"
        case .other: "other"
        }
    }
}
