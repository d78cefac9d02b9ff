/// A class of `Accept` fields that get the same answer for `format=auto`; part of the cache key.
package enum FormatBucket: UInt8, Hashable, Sendable, CaseIterable {
    case rest = 0
    case webp = 1
    /// Clients that also support WebP, which is used if AVIF takes too long or comes out larger.
    case avif = 2
    /// Clients that also support WebP, which is used for animations and lossless images.
    case jxl = 3
    /// Clients that support AVIF, JPEG XL and WebP.
    case avifJXL = 4

    /// The bucket's name in canonical texts.
    package var name: String {
        switch self {
        case .rest: "rest"
        case .webp: "webp"
        case .avif: "avif"
        case .jxl: "jxl"
        case .avifJXL: "avif-jxl"
        }
    }

    /// Whether its clients support AVIF.
    package var hasAVIF: Bool { self == .avif || self == .avifJXL }
    /// Whether its clients support JPEG XL.
    package var hasJXL: Bool { self == .jxl || self == .avifJXL }

    /// The bucket of clients that support the same formats except AVIF.
    package var withoutAVIF: FormatBucket {
        switch self {
        case .rest: .rest
        case .webp, .avif: .webp
        case .jxl, .avifJXL: .jxl
        }
    }

    /// The bucket of clients that support the same formats except JPEG XL.
    package var withoutJXL: FormatBucket {
        switch self {
        case .rest: .rest
        case .webp, .jxl: .webp
        case .avif, .avifJXL: .avif
        }
    }

    /// The bucket of a request with two `Accept` fields.
    package func union(_ other: FormatBucket) -> FormatBucket {
        let isBoth = (hasAVIF || other.hasAVIF) && (hasJXL || other.hasJXL)
        return isBoth ? .avifJXL : max(self, other)
    }
}

extension FormatBucket: Comparable {
    package static func < (left: FormatBucket, right: FormatBucket) -> Bool { left.rawValue < right.rawValue }

    /// The bucket of an `Accept` field's value (RFC 9110 §12.5.1).
    ///
    /// A type counts only if it is named with a weight over 0; `*/*` and `image/*` do not count. `image/avif` or `image/jxl` alone
    /// imply WebP, which every client that supports one of them supports. For several fields, take the `union` of their buckets.
    package init(accept value: Span<UInt8>) {
        self = .rest
        var index = 0
        while index < value.count {
            let end = Self.endOfElement(in: value, from: index)
            if self < .webp, Self.names("image/webp", in: value, from: index, to: end) { self = .webp }
            if !hasAVIF, Self.names("image/avif", in: value, from: index, to: end) { self = union(.avif) }
            if !hasJXL, Self.names("image/jxl", in: value, from: index, to: end) { self = union(.jxl) }
            index = end + 1
        }
    }

    /// The end of the list element that begins at `start`: a comma outside quotes, or the end.
    private static func endOfElement(in value: Span<UInt8>, from start: Int) -> Int {
        var quoted = false
        var index = start
        while index < value.count {
            switch value[index] {
            case UInt8(ascii: "\\") where quoted: index += 1
            case UInt8(ascii: "\""): quoted.toggle()
            case UInt8(ascii: ",") where !quoted: return index
            default: break
            }
            index += 1
        }
        return value.count
    }

    /// Whether a list element names a media type with a weight over 0.
    private static func names(_ type: String, in value: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var index = start
        skipBlanks(in: value, &index, end)
        guard matches(type, in: value, at: index, end) else { return false }
        index += type.utf8.count
        skipBlanks(in: value, &index, end)
        while index < end {
            guard value[index] == UInt8(ascii: ";") else { return false }
            index += 1
            skipBlanks(in: value, &index, end)
            if matches("q=", in: value, at: index, end) { return isPositiveWeight(in: value, from: index + 2, to: end) }
            while index < end && value[index] != UInt8(ascii: ";") { index += 1 }
        }
        return true
    }

    /// Whether a `qvalue` (RFC 9110 §12.4.2) is well-formed and greater than 0.
    private static func isPositiveWeight(in value: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var index = start
        guard index < end, value[index] == UInt8(ascii: "0") || value[index] == UInt8(ascii: "1") else { return false }
        let isOne = value[index] == UInt8(ascii: "1")
        var positive = isOne
        index += 1
        if index < end, value[index] == UInt8(ascii: ".") {
            index += 1
            let decimals = index
            while index < end, value[index] >= UInt8(ascii: "0"), value[index] <= UInt8(ascii: "9") {
                if value[index] != UInt8(ascii: "0") {
                    if isOne { return false }
                    positive = true
                }
                index += 1
            }
            if index - decimals > 3 { return false }
        }
        skipBlanks(in: value, &index, end)
        return positive && (index >= end || value[index] == UInt8(ascii: ";"))
    }

    private static func skipBlanks(in value: Span<UInt8>, _ index: inout Int, _ end: Int) {
        while index < end, value[index] == UInt8(ascii: " ") || value[index] == UInt8(ascii: "\t") { index += 1 }
    }

    /// Whether `text`, in lower case, is found at an index, ignoring case.
    private static func matches(_ text: String, in value: Span<UInt8>, at index: Int, _ end: Int) -> Bool {
        guard end - index >= text.utf8.count else { return false }
        var index = index
        for letter in text.utf8 {
            guard value[index].asciiLowercased == letter else { return false }
            index += 1
        }
        return true
    }
}
