/// An image file format that the sniffer recognises (SDWebImage's `SDImageFormat`).
///
/// Recognising a format does not mean decoding it: the worker has an allow-list.
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
    /// Gzip-compressed SVG: the magic bytes only show gzip, and `OriginMarkup` checks the content.
    case svgz
    /// Content that is no image, which a source may serve as it is (`unsupported: pass`); not among `allCases`.
    case other
    /// Edgeprint's own format of mezzanines (`PlanesFile`), which no original has; not among `allCases`.
    case planes

    /// All image formats.
    package static let allCases: [ImageFormat] = [
        .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .jxl, .jp2, .bmp, .ico, .svg, .pdf, .svgz,
    ]

    /// The media type for `Content-Type`; that of `other` content is known to its origin.
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
        case .other, .planes: "application/octet-stream"
        }
    }
    /// Whether all frames of an animation are decoded; of a HEIC sequence, only the still image is.
    package var decodesAnimation: Bool {
        switch self {
        case .gif, .webp, .png, .avif, .jxl: true
        case .jpeg, .heic, .tiff, .jp2, .bmp, .ico, .svg, .svgz, .pdf, .other, .planes: false
        }
    }
    /// The content coding for `Content-Encoding`; `nil` if there is none.
    package var contentCoding: String? { self == .svgz ? "gzip" : nil }
}
