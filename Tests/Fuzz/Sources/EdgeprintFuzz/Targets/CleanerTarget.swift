import ImagePlan
import LinuxSystem

/// The removal of metadata, and of scripts from SVG.
enum CleanerTarget: FuzzTarget {
    static let name = "cleaner"

    static var seeds: [[UInt8]] { PictureSeeds.cleanable }

    static let dictionary = [
        "<svg", "</svg>", "<script>", "</script>", "<style>", "</style>", "<![CDATA[", "]]>", "<!ENTITY", "<!DOCTYPE",
        "<!--",
        "-->", "&amp;", "&#x26;", "&lt;", "href=", "xlink:href=", "onload=", "url(", "javascript:",
        "data:image/png;base64,",
        "xmlns=", "@import", "<foreignObject>", "<use", "style=\"", "IHDR", "IDAT", "IEND", "iCCP", "tEXt", "eXIf",
        "acTL", "fcTL",
        "fdAT", "VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L", "EXIF", "XMP ", "JFIF", "Exif", "ICC_PROFILE",
        "Adobe",
        "NETSCAPE2.0", "ICCRGBG1012",
    ]

    static func run(_ bytes: [UInt8]) {
        // A worker cleans compressed SVG like this, with a limit from the configuration.
        if bytes.starts(with: [0x1F, 0x8B]) {
            let expanded = GzipExpansion(of: bytes.span, atMost: 1 << 20)
            expect(expanded.bytes.count <= 1 << 20, "more than the limit")
            clean(expanded.bytes)
        } else {
            clean(bytes)
        }
    }

    private static func clean(_ bytes: [UInt8]) {
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count),
            let cleaned = try? MetadataCleaner.clean(bytes.span, as: header)
        else { return }
        guard case .image(let again) = ImageSniffer.sniff(cleaned.span, totalLength: cleaned.count) else {
            fatalError("a cleaned \(header.format) is no image")
        }
        expectEqual(again.format, header.format, "format")
        expectEqual(again.size, header.size, "size of a cleaned \(header.format)")
        expectEqual(again.orientation, header.orientation, "orientation of a cleaned \(header.format)")
        expectEqual(try? MetadataCleaner.clean(cleaned.span, as: again), cleaned, "a \(header.format) cleaned twice")
        if header.format == .svg { checkMarkup(cleaned) }
    }

    /// No form of these is left, whatever it was hidden in: text is escaped, so `<` begins a tag.
    private static func checkMarkup(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        for tag in ["<script", "<foreignobject", "<iframe", "<!doctype", "<!entity", "<?", "<!--", "<![cdata["] {
            expect(!text.contains(tag), "\(tag) in a cleaned SVG")
        }
    }
}
