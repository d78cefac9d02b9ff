/// A kind of file that is designed to harm a decoder.
package enum HostileKind: String, Sendable, CaseIterable {
    /// PNG: decompression bombs, extreme sizes, every colour type and depth.
    case pngPixels = "png-pixels"
    /// PNG: compressed texts and profiles that expand, and thousands of chunks.
    case pngText = "png-text"
    /// Animated PNG: up to 100,000 frame controls, frames outside the canvas, wrong sequence numbers.
    case pngFrames = "png-frames"
    case pngDamage = "png-damage"
    /// JPEG: thousands of scans, extreme sizes, unusual components, precisions and codings.
    case jpegStructure = "jpeg-structure"
    case jpegDamage = "jpeg-damage"
    /// GIF: up to 100,000 frames, extreme canvases, invalid LZW codes.
    case gifFrames = "gif-frames"
    case gifDamage = "gif-damage"
    /// WebP: animations with thousands of frames, extreme canvases, chunks that contradict each other.
    case webpFrames = "webp-frames"
    case webpDamage = "webp-damage"
    /// AVIF: nested and endless boxes, grids of themselves, extreme sizes.
    case avifBoxes = "avif-boxes"
    case avifDamage = "avif-damage"
    case heicBoxes = "heic-boxes"
    case jxlDamage = "jxl-damage"
    case jp2Damage = "jp2-damage"
    /// TIFF: loops of directories, overlapping strips and tiles, every compression and sample format.
    case tiffDirectories = "tiff-directories"
    case tiffDamage = "tiff-damage"
    case bmp
    case ico
    /// SVG: deep nesting, long paths, many attributes.
    case svgNesting = "svg-nesting"
    /// SVG: `use` elements that multiply, or refer to themselves.
    case svgUses = "svg-uses"
    /// SVG: filters with extreme parameters.
    case svgFilters = "svg-filters"
    /// SVG: patterns, masks, clips, markers and gradients that refer to each other.
    case svgReferences = "svg-references"
    /// SVG: entities that multiply, external references, encodings, images within images.
    case svgMarkup = "svg-markup"
    /// Compressed SVG: gzip bombs, damaged and repeated members.
    case svgz
    /// PDF: loops of pages, extreme page sizes and counts, streams that expand.
    case pdf
    /// EXIF, XMP and colour profiles with loops, lies and noise, in several formats.
    case metadata
    /// Files of two formats, noise after magic numbers, wrong names and empty files.
    case mixed

    /// The extension of a file's name, which may lie.
    var suffix: String {
        switch self {
        case .mixed: "png"
        case .metadata: "jpg"
        default: String(rawValue.prefix { $0 != "-" })
        }
    }
}
