/// What a page can show while an image loads: BlurHash, ThumbHash and dominant colour.
///
/// Computed once per original by a worker, and stored with the original's metadata.
package struct Placeholder: Hashable, Sendable {
    /// The plan text with which a worker makes a placeholder; no request can contain it.
    package static let planText = "placeholder/1"
    /// The longest text in bytes.
    static let maximumSize = 512

    /// The BlurHash; empty if there is none.
    package let blurHash: String
    /// The ThumbHash in base64; empty if there is none.
    package let thumbHash: String
    /// The dominant colour; `nil` if nothing is visible or nothing could be computed.
    package let dominant: Color?

    /// The placeholder of an image for which none can be computed; it records that retrying is pointless.
    package static let none = Placeholder(blurHash: "", thumbHash: "", dominant: nil)

    private init(blurHash: String, thumbHash: String, dominant: Color?) {
        self.blurHash = blurHash
        self.thumbHash = thumbHash
        self.dominant = dominant
    }

    /// Computes the placeholder of an image.
    package init(of picture: TinyPicture) {
        self.init(
            blurHash: BlurHash.encode(picture),
            thumbHash: Base64.encode(ThumbHash.encode(picture)),
            dominant: ColorPalette(of: picture).dominant
        )
    }

    /// The text form for the worker protocol and the disk: BlurHash, ThumbHash and colour as `rrggbb`, one per line.
    package var text: String { "\(blurHash)\n\(thumbHash)\n\(dominant?.text ?? "")" }

    /// Parses the text form; `nil` for anything else, since it may come from a hostile worker and goes into header fields.
    package init?(text bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let text = String(utf8: bytes) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        guard lines.count == 3, lines[0].isEmpty || BlurHash.isValid(lines[0]),
            lines[1].utf8.count <= Base64.encodedCount(ThumbHash.longest), Base64.isPlausible(lines[1])
        else { return nil }
        var dominant: Color?
        if !lines[2].isEmpty {
            guard let color = try? Color(parsing: Parameter("color", lines[2])), color.text == lines[2], color.isOpaque
            else { return nil }
            dominant = color
        }
        self.init(blurHash: lines[0], thumbHash: lines[1], dominant: dominant)
    }
}
