extension ImageTransform {
    /// Inserts the steps of a configured preset at this place (`preset`); settings here replace the preset's.
    ///
    /// - Parameter name: letters, digits, `-`, `_` and `.`; one preset for each image.
    public func preset(_ name: String) -> ImageTransform { setting("preset", name) }

    /// Leaves out the preset that the source applies to every request (`preset=none`).
    public func withoutSourcePreset() -> ImageTransform { setting("preset", "none") }

    /// The format of the result (`format`); `auto`, the default, is negotiated by `Accept`.
    public func format(_ format: OutputFormat) -> ImageTransform { setting("format", format.rawValue) }

    /// The quality of lossy formats (`q`).
    public func quality(_ quality: Quality) -> ImageTransform { setting("q", quality.text) }

    /// Lowers the quality until the result has at most this many bytes (`max_bytes`, 1–999999999); 422 if none does.
    public func maximumBytes(_ count: Int) -> ImageTransform { setting("max_bytes", String(count)) }

    /// Encodes without loss (`lossless`): WebP, AVIF, JPEG XL and PNG.
    public func lossless(_ isOn: Bool = true) -> ImageTransform { setting("lossless", isOn ? "1" : "0") }

    /// Encodes progressively or interlaced (`progressive`): JPEG, PNG and GIF.
    public func progressive(_ isOn: Bool = true) -> ImageTransform { setting("progressive", isOn ? "1" : "0") }

    /// The time that the encoder takes (`effort`), 0 (fast) to 9 (small), on each format's own scale.
    public func effort(_ effort: Int) -> ImageTransform { setting("effort", String(effort)) }

    /// The chroma subsampling of JPEG and AVIF (`chroma`).
    public func chroma(_ chroma: ChromaSampling) -> ImageTransform { setting("chroma", chroma.rawValue) }

    /// The level of nearly lossless WebP (`near_lossless`), 0–100; 100 changes no pixel.
    public func nearLossless(_ level: Int) -> ImageTransform { setting("near_lossless", String(level)) }

    /// The quality of the alpha plane of lossy WebP (`alpha_q`), 0–100.
    public func alphaQuality(_ quality: Int) -> ImageTransform { setting("alpha_q", String(quality)) }

    /// Converts to YUV with sharper edges (`sharp_yuv`): lossy WebP.
    public func sharpYUV(_ isOn: Bool = true) -> ImageTransform { setting("sharp_yuv", isOn ? "1" : "0") }

    /// The metadata of the original that the result keeps (`meta`); none by default.
    public func metadata(_ policy: MetadataPolicy) -> ImageTransform { setting("meta", policy.rawValue) }

    /// Keeps the gain map of an Ultra HDR original in a JPEG (`hdr=keep`); `format=auto` is JPEG then.
    public func keepingGainMap(_ isOn: Bool = true) -> ImageTransform { setting("hdr", isOn ? "keep" : "sdr") }

    /// The colour of one pixel of the result, with the format `json` (`pixel`).
    public func pixel(x: Int, y: Int) -> ImageTransform { setting("pixel", "\(x),\(y)") }

    /// The resolution at which an SVG's physical units and a PDF page are rendered (`dpi`): 1–1200 dots per inch, 72 by default.
    public func resolution(_ dotsPerInch: Int) -> ImageTransform { setting("dpi", String(dotsPerInch)) }

    /// Answers 422 instead of a result that would lose frames or transparency (`strict`).
    public func strict(_ isOn: Bool = true) -> ImageTransform { setting("strict", isOn ? "1" : "0") }
}

extension ImageTransform {
    /// How much of an animation is kept (`anim`).
    public func animation(_ mode: AnimationMode) -> ImageTransform { setting("anim", mode.rawValue) }

    /// Keeps one frame (`frame`), 0–99999 from the first.
    public func frame(_ index: Int) -> ImageTransform { setting("frame", String(index)) }

    /// Keeps a range of frames (`frames`), 0–99999 from the first; those beyond the last frame are ignored.
    public func frames(_ range: ClosedRange<Int>) -> ImageTransform {
        setting("frames", "\(range.lowerBound)-\(range.upperBound)")
    }

    /// The page of a document (`page`), 0–9999 from the first.
    public func page(_ index: Int) -> ImageTransform { setting("page", String(index)) }

    /// The speed of an animation (`speed`), 0.1–10.
    public func speed(_ factor: Double) -> ImageTransform { setting("speed", NumberText.of(factor)) }

    /// How often an animation plays (`loop`), 1–65535; 0 is for ever.
    public func loop(_ count: Int) -> ImageTransform { setting("loop", String(count)) }

    /// Plays an animation backwards (`reverse`).
    public func reversed(_ isOn: Bool = true) -> ImageTransform { setting("reverse", isOn ? "1" : "0") }
}

/// The format of a response.
public enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    /// The best one that the request's `Accept` names.
    case auto
    /// The original's.
    case source
    case jpeg, png, webp, avif, gif, jxl, tiff
    /// A description of the image.
    case json
    /// A BlurHash, as text.
    case blurhash
    /// A ThumbHash in base64, as text.
    case thumbhash
    /// A tiny WebP as a `data:` URI.
    case lqip

    /// The media type; `nil` where it depends on the request.
    public var mediaType: String? {
        switch self {
        case .auto, .source: nil
        case .jpeg, .png, .webp, .avif, .gif, .jxl, .tiff: "image/\(rawValue)"
        case .json: "application/json"
        case .blurhash, .thumbhash, .lqip: "text/plain"
        }
    }
}

/// The quality of lossy formats.
public enum Quality: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// One number, 1–100, on the scale of whichever format is sent; PNG gets a palette if the request names it.
    case number(Int)
    /// Numbers, 1–100, for some formats, since their scales differ; the others have the server's defaults.
    case byFormat([OutputFormat: Int])
    /// The quality that scores nearest to a target: the server's, or that of a level.
    case automatic(QualityLevel? = nil)

    /// Creates a quality of one number.
    public init(integerLiteral number: Int) {
        self = .number(number)
    }

    var text: String {
        switch self {
        case .number(let number): String(number)
        case .byFormat(let numbers):
            numbers.map { "\($0.key.rawValue):\($0.value)" }.sorted().joined(separator: ",")
        case .automatic(let level): level.map { "auto:\($0.rawValue)" } ?? "auto"
        }
    }
}

/// How near to the original an automatic quality is.
public enum QualityLevel: String, Hashable, Sendable, CaseIterable {
    case low, eco, good, best
}

/// Chroma subsampling.
public enum ChromaSampling: String, Hashable, Sendable, CaseIterable {
    /// The encoder decides.
    case auto
    /// 4:2:0, half of the resolution in both directions.
    case half = "420"
    /// 4:4:4, the full resolution.
    case full = "444"
}

/// The metadata that a result keeps.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    /// None.
    case strip
    /// Copyright and author.
    case copyright
    /// All.
    case keep
}

/// How much of an animation a result keeps.
public enum AnimationMode: String, Hashable, Sendable, CaseIterable {
    /// As many frames as the limits allow.
    case auto
    /// All frames, or an error.
    case keep
    /// The first frame.
    case first
}
