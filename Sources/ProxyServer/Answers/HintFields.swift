import HTTPKit
import ImagePipeline
import ImagePlan

/// The placeholder fields of `placeholder: headers`.
enum HintFields {
    private static let blurHash = "X-Blurhash"
    private static let thumbHash = "X-Thumbhash"
    private static let color = "X-Dominant-Color"
    private static let size = "X-Original-Size"

    /// Appends a field for each known value; `CrossOrigin` exposes them to scripts.
    static func append(_ hints: OriginalHints, to block: inout FieldBlock) {
        if let size = hints.size { block.append(Self.size, "\(size.width)x\(size.height)") }
        if let placeholder = hints.placeholder {
            if !placeholder.blurHash.isEmpty { block.append(blurHash, placeholder.blurHash) }
            if !placeholder.thumbHash.isEmpty { block.append(thumbHash, placeholder.thumbHash) }
            if let dominant = placeholder.dominant { block.append(color, "#\(dominant.text)") }
        }
    }
}
