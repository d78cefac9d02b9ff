import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan

/// `Server-Timing`: the durations of a response's stages (W3C Server Timing §3).
enum ServerTimingField {
    /// The encoded field with the stages that ran, in milliseconds; empty if none did, as for a hit.
    static func bytes(_ timings: StageTimings) -> [UInt8] {
        let phases = timings.phases
        let mirror = phases.mirror > 0 ? ";desc=\"mirror \(phases.mirror)\"" : ""
        let metrics = [
            ("fetch", timings.fetch), ("fetch-dns", phases.resolve), ("fetch-connect", phases.connect),
            ("fetch-tls", phases.secure), ("fetch-first-byte", phases.firstByte),
            ("queue", timings.queue), ("decode", timings.decode),
            ("transform", timings.transform), ("encode", timings.encode), ("store", timings.store),
        ]
        .filter { $0.1 > 0 }.map { "\($0.0);dur=\(milliseconds($0.1))\($0.0 == "fetch" ? mirror : "")" }
        guard !metrics.isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Server-Timing", metrics.joined(separator: ", "))
        return block.bytes
    }

    /// Microseconds as milliseconds with three decimals.
    private static func milliseconds(_ microseconds: UInt32) -> String {
        let decimals = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
    }
}

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

/// `X-Animation`: the frames that were kept, in every response made from an animation.
enum AnimationField {
    private static let name = "X-Animation"

    /// Appends the field, which `CrossOrigin` exposes to scripts.
    static func append(_ outcome: AnimationOutcome, to block: inout FieldBlock) {
        block.append(name, outcome.text)
    }
}

/// `X-Quality`: the quality that `q=auto` found and the score of the result, in every response with such a result.
enum QualityField {
    private static let name = "X-Quality"

    /// Appends the field, which `CrossOrigin` exposes to scripts.
    static func append(_ found: FoundQuality, to block: inout FieldBlock) {
        block.append(name, found.text)
    }
}
