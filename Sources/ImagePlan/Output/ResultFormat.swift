/// The format of a result: an image, or text about one.
package enum ResultFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    case picture(ImageFormat)
    /// `format=json`.
    case json
    /// `format=blurhash`, `thumbhash` and `lqip`.
    case text

    // Above all image formats. Released numbers never change: they are stored on disk.
    private static let jsonNumber: UInt8 = 0x80
    private static let textNumber: UInt8 = 0x81

    package static let jpeg = ResultFormat.picture(.jpeg)
    package static let png = ResultFormat.picture(.png)
    package static let gif = ResultFormat.picture(.gif)
    package static let webp = ResultFormat.picture(.webp)
    package static let avif = ResultFormat.picture(.avif)

    /// Reads the number used in the worker protocol and on disk.
    package init?(rawValue: UInt8) {
        switch rawValue {
        case Self.jsonNumber: self = .json
        case Self.textNumber: self = .text
        default:
            guard let format = ImageFormat(rawValue: rawValue) else { return nil }
            self = .picture(format)
        }
    }

    package var rawValue: UInt8 {
        switch self {
        case .picture(let format): format.rawValue
        case .json: Self.jsonNumber
        case .text: Self.textNumber
        }
    }

    /// The format's name.
    package var description: String {
        switch self {
        case .picture(let format): "\(format)"
        case .json: "json"
        case .text: "text"
        }
    }

    /// The image format; `nil` for text.
    package var image: ImageFormat? {
        if case .picture(let format) = self { format } else { nil }
    }

    /// The media type for `Content-Type`.
    package var mediaType: String {
        switch self {
        case .picture(let format): format.mediaType
        case .json: "application/json"
        case .text: "text/plain; charset=utf-8"
        }
    }
}
