import HTTPKit
import ImagePlan

/// The parameters of a target that client hints determine, and how hints are read.
struct RequestHints: Hashable, Sendable {
    /// The parameters that are `auto`: `.width` for `w`, `.dpr` for `dpr`.
    let used: Set<ClientHint>
    let options: ClientHintOptions

    /// Larger values are implausible for a screen and are ignored.
    private static let widest = FixedDecimal(100_000)
    private static let highestRatio = FixedDecimal(16)

    /// The values of the request's hints, rounded to the ladder; defaults for hints that are missing or invalid.
    func values(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> HintValues {
        var values = options.values
        let ratio =
            options.fields.contains(.dpr)
            ? number([.secChDpr, .dpr], atMost: Self.highestRatio, head, bytes) : nil
        if used.contains(.dpr), let ratio { values.ratio = options.ladder.ratio(for: ratio) }
        if used.contains(.width), let width = width(ratio, head, bytes) {
            values.width = options.ladder.width(for: width)
        }
        return values
    }

    /// The displayed width of the image, else the width of the viewport, in device pixels.
    private func width(_ ratio: FixedDecimal?, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Int? {
        if options.fields.contains(.width),
            let width = number([.secChWidth, .width], atMost: Self.widest, head, bytes)
        {
            return width.roundedUp
        }
        guard options.fields.contains(.viewportWidth),
            let width = number([.secChViewportWidth, .viewportWidth], atMost: Self.widest, head, bytes)
        else { return nil }
        return (width * (ratio ?? FixedDecimal(1))).roundedUp
    }

    /// The first field with a single number over 0 and within bounds (RFC 8941 §3.3.1, §3.3.2).
    private func number(
        _ fields: [KnownField],
        atMost limit: FixedDecimal,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>
    ) -> FixedDecimal? {
        for field in fields where head.has(field) {
            var texts: [String] = []
            head.forEach(field) { texts.append(String(decoding: bytes.copy($0), as: UTF8.self)) }
            guard texts.count == 1, let number = FixedDecimal(parsing: texts[0]), number > FixedDecimal(0),
                number <= limit
            else { continue }
            return number
        }
        return nil
    }

    /// The fields that responses depend on: all that were looked up.
    var vary: VaryFields {
        var vary = VaryFields()
        if used.contains(.dpr) { vary.insert(.dpr) }
        guard used.contains(.width) else { return vary }
        if options.fields.contains(.width) { vary.insert(.width) }
        guard options.fields.contains(.viewportWidth) else { return vary }
        vary.insert(.viewportWidth)
        if options.fields.contains(.dpr) { vary.insert(.dpr) }
        return vary
    }
}

extension FixedDecimal {
    /// The number rounded up.
    fileprivate var roundedUp: Int { (millionths + 999_999) / 1_000_000 }
}
