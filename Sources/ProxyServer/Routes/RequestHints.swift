import HTTPKit
import ImagePlan

/// What of a target is left to the client's hints, and how they are read.
struct RequestHints: Hashable, Sendable {
    /// The parameters that are `auto`: `.width` for `w`, `.dpr` for `dpr`.
    let used: Set<ClientHint>
    let options: ClientHintOptions

    /// Values over these say nothing of a screen.
    private static let widest = FixedDecimal(100_000)
    private static let highestRatio = FixedDecimal(16)

    /// What the request's fields say, on the ladder; the default where they say nothing, or nonsense.
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

    /// How wide the picture is shown, else the window, in device pixels.
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

    /// The first of some fields that is one number over 0 and within bounds (RFC 8941 §3.3.1, §3.3.2).
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

    /// The fields that answers depend on: all that were looked for.
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
    /// The least whole number that is no less.
    fileprivate var roundedUp: Int { (millionths + 999_999) / 1_000_000 }
}
