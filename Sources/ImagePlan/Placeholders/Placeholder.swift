/// What a page can show before a picture has come: a blurred likeness in two notations, and the dominant colour.
///
/// Computed once for an original, by a worker; kept beside what is known of the original.
package struct Placeholder: Hashable, Sendable {
    /// What stands for a plan where a worker is asked for this: no request can spell it.
    package static let planText = "placeholder/1"
    /// The most bytes of the text.
    static let maximumSize = 512

    /// Empty where there is none.
    package let blurHash: String
    /// In base64; empty where there is none.
    package let thumbHash: String
    /// `nil` where nothing of the picture is visible, or nothing could be computed.
    package let dominant: Color?

    /// Of a picture that nothing can be computed of: known not to be worth another try.
    package static let none = Placeholder(blurHash: "", thumbHash: "", dominant: nil)

    private init(blurHash: String, thumbHash: String, dominant: Color?) {
        self.blurHash = blurHash
        self.thumbHash = thumbHash
        self.dominant = dominant
    }

    /// Computes it.
    package init(of picture: TinyPicture) {
        self.init(
            blurHash: BlurHash.encode(picture),
            thumbHash: Base64.encode(ThumbHash.encode(picture)),
            dominant: ColorPalette(of: picture).dominant
        )
    }

    /// One line each: BlurHash, ThumbHash, colour as `rrggbb`; how workers tell it and disks keep it.
    package var text: String { "\(blurHash)\n\(thumbHash)\n\(dominant?.text ?? "")" }

    /// Reads the text; `nil` for anything else, since it may come of a hostile worker and goes into header fields.
    package init?(text bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let text = String(validating: bytes, as: UTF8.self) else { return nil }
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
