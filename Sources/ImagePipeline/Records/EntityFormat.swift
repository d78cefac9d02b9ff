import ImagePlan

/// The format of an entity's bytes, a fixed set for statistics and logs.
package enum EntityFormat: UInt8, CaseIterable, Sendable {
    case jpeg = 1
    case png, gif, webp, avif, heic, tiff, jxl, jp2, bmp, ico, svg, pdf, json
    /// `format=blurhash`, `thumbhash` and `lqip`.
    case text
    /// Anything else, which a source may pass on unchanged.
    case other

    private static let all: [String: EntityFormat] = {
        var all: [String: EntityFormat] = [
            ResultFormat.json.mediaType: .json, ResultFormat.text.mediaType: .text,
        ]
        for format in ImageFormat.allCases { all[format.mediaType] = EntityFormat(format) }
        return all
    }()

    /// The format of a media type.
    init(mediaType: String) { self = Self.all[mediaType] ?? .other }

    private init(_ format: ImageFormat) {
        self =
            switch format {
            case .jpeg: .jpeg
            case .png: .png
            case .gif: .gif
            case .webp: .webp
            case .avif: .avif
            case .heic: .heic
            case .tiff: .tiff
            case .jxl: .jxl
            case .jp2: .jp2
            case .bmp: .bmp
            case .ico: .ico
            case .svg, .svgz: .svg
            case .pdf: .pdf
            case .other, .planes: .other
            }
    }
}
