/// An image file format that the project knows by its bytes (SDWebImage's `SDImageFormat`).
///
/// Knowing a format is not decoding it: the worker's allow-list says what is decoded.
package enum ImageFormat: UInt8, Hashable, Sendable, CaseIterable {
    case jpeg = 1
    case png
    case gif
    case webp
    case avif
    case heic
    case tiff
    case jxl
    case jp2
    case bmp
    case ico
    case svg
    case pdf
    /// SVG in the gzip coding: the bytes tell the coding, and `OriginMarkup` the rest.
    case svgz

    /// The media type, as in `Content-Type`.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .tiff: "image/tiff"
        case .jxl: "image/jxl"
        case .jp2: "image/jp2"
        case .bmp: "image/bmp"
        case .ico: "image/vnd.microsoft.icon"
        case .svg, .svgz: "image/svg+xml"
        case .pdf: "application/pdf"
        }
    }
    /// Whether an animation's frames behind the first are decoded; of an AVIF or HEIC sequence the still picture is.
    package var decodesAnimation: Bool {
        switch self {
        case .gif, .webp, .png: true
        case .jpeg, .avif, .heic, .tiff, .jxl, .jp2, .bmp, .ico, .svg, .svgz, .pdf: false
        }
    }
    /// What stands around a file of the media type, as in `Content-Encoding`; `nil` where nothing does.
    package var contentCoding: String? { self == .svgz ? "gzip" : nil }
}
