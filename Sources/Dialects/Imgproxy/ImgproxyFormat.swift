import ImagePlan

/// A result format of imgproxy that we write, too.
enum ImgproxyFormat: String, CaseIterable {
    case jpeg, png, webp, avif, gif, jxl, tiff
    /// The best for image and client: our `auto`.
    case best

    /// Formats of imgproxy that cannot be written here.
    private static let unwritten = ["bmp", "heic", "ico", "mp4", "pdf", "psd", "svg", "webm"]

    /// Parses a name; `jpg` is another spelling of `jpeg`.
    ///
    /// - Parameter option: the option that has the name, for errors.
    init(_ name: String, by option: ImgproxyOption) throws(RequestError) {
        if let format = ImgproxyFormat(rawValue: name == "jpg" ? "jpeg" : name) {
            self = format
            return
        }
        let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
        throw option.error(
            Self.unwritten.contains(name)
                ? "cannot be \(name), which is not written; one of \(names) can"
                : "must be one of \(names)\(NearestName.hint(name, among: Self.allCases.map(\.rawValue)))"
        )
    }

    /// The value of our `format`.
    var name: String { self == .best ? "auto" : rawValue }

    /// Whether imgproxy's quality changes nothing in the format.
    var isLossless: Bool { self == .png || self == .gif }

    /// Whether imgproxy writes one frame in a format that can have several here.
    var isStill: Bool { self == .png || self == .avif }
}

/// Whether encoder options concern a result: the format is the given one, or not known before the image is.
extension ImgproxyFormat? {
    func mayBe(_ format: ImgproxyFormat) -> Bool { self == nil || self == .best || self == format }
}

/// The options of single encoders.
enum ImgproxyEncoders {
    struct JPEG {
        var isProgressive = false
        var isFullChroma = false
    }

    struct PNG {
        var isInterlaced = false
    }

    struct WebP {
        var lossless: Stated<Bool>?
        var isSharp = false
    }

    struct AVIF {
        var chroma: String?
    }
}
