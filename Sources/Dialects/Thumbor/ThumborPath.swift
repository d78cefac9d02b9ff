import HTTPSemantics
import ImagePlan

/// The parts of a path of thumbor or imagor, in their order; each is optional except for the first and the last.
///
/// `SIGNATURE|unsafe / meta / trim / AxB:CxD / fit-in / stretch / WxH / padding / HALIGN / VALIGN / smart / filters:… / IMAGE`;
/// `stretch` and the padding are imagor's.
struct ThumborPath {
    /// A side of the box.
    enum Side: Equatable {
        /// Not stated, or 0: follows the other one.
        case free
        /// The picture's own.
        case original
        case pixels(Int)
    }

    /// The side of the picture that a flag names, and what the path says of a trim.
    struct Trim {
        let text: String
        let isBottomRight: Bool
        let tolerance: Int
    }

    var signature: Translation.Signature = .none
    var isMeta = false
    var trim: Trim?
    /// The left, top, right and bottom ends, in pixels, or as shares of the sides.
    var crop: ThumborCrop?
    /// `fit-in` with its prefixes, as written.
    var fitIn: String?
    var isStretched = false
    /// `WxH` as written.
    var dimensions = ""
    var width = Side.free
    var height = Side.free
    var flipsHorizontally = false
    var flipsVertically = false
    /// Left, top, right and bottom pixels; `nil` for none.
    var padding: [Int]?
    var horizontal = "center"
    var vertical = "middle"
    var isSmart = false
    /// The filters as they came, without `filters:`.
    var filters: ArraySlice<UInt8> = []
    /// The image as it came.
    let image: ArraySlice<UInt8>

    var isFull: Bool { fitIn?.contains("full-") == true }
    var isAdaptive: Bool { fitIn?.contains("adaptive-") == true }

    /// Parses a path.
    ///
    /// - Throws: 400, naming `path` or the part.
    init(_ path: [UInt8], rules: ThumborRules) throws(RequestError) {
        var rest = ThumborSegments(path[...].drop { $0 == UInt8(ascii: "/") })
        guard let first = rest.take(where: { _ in true }) else {
            throw RequestError(parameter: "path", reason: "must be a signature or unsafe, options, and an image")
        }
        if first != "unsafe" { signature = try Self.signature(first, of: rest.rest, rules) }
        if rules == .thumbor, rest.take("debug") != nil {
            throw RequestError(parameter: "debug", reason: "cannot be said")
        }
        isMeta = rest.take("meta") != nil
        if let text = rest.take(where: { Self.trim($0) != nil }) { trim = Self.trim(text) }
        if let text = rest.take(where: { ThumborCrop($0, rules: rules) != nil }) {
            crop = ThumborCrop(text, rules: rules)
        }
        fitIn = rest.take("fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in")
        if rules == .imagor { isStretched = rest.take("stretch") != nil }
        if let text = rest.take(where: { Self.sides($0, rules) != nil }), let sides = Self.sides(text, rules) {
            dimensions = text
            (flipsHorizontally, width) = sides.0
            (flipsVertically, height) = sides.1
        }
        if rules == .imagor, let text = rest.take(where: { Self.margins($0) != nil }) { padding = Self.margins(text) }
        horizontal = rest.take("left", "right", "center") ?? horizontal
        vertical = rest.take("top", "bottom", "middle") ?? vertical
        isSmart = rest.take("smart") != nil
        filters = rest.takeFilters(rules)
        image = rest.rest
    }

    /// The code before the first slash, and the bytes that it authenticates: all after the slash.
    private static func signature(
        _ text: String,
        of message: ArraySlice<UInt8>,
        _ rules: ThumborRules
    ) throws(RequestError) -> Translation.Signature {
        let digits = (try? PercentCoding.decode(Array(text.utf8)[...])) ?? ""
        var decoder = Base64Decoder(.url)
        var code: [UInt8] = []
        // The decoder is not asked to finish: a shortened code can end in the middle of a byte.
        let isValid = digits.utf8.allSatisfy { decoder.decode($0, into: &code) }
        // HMAC-SHA-1 has 20 bytes; imagor may be configured for longer ones, and to shorten them.
        let isLong =
            rules == .thumbor
            ? code.count == 20 : digits.utf8.count >= ThumborRequest.shortestSignature && code.count <= 64
        guard isValid, isLong else {
            throw RequestError(parameter: "path", reason: "must begin with unsafe or a signature")
        }
        return .stated(code: code, message: Array(message))
    }

    /// `trim`, `trim:bottom-right`, `trim:top-left:30`, `trim:30`.
    private static func trim(_ text: String) -> Trim? {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "trim" else { return nil }
        let corner = parts.first == "top-left" || parts.first == "bottom-right" ? parts.popFirst() : nil
        let tolerance = parts.popFirst()
        guard parts.isEmpty, tolerance.map({ digits($0) != nil }) ?? true else { return nil }
        return Trim(
            text: text,
            isBottomRight: corner == "bottom-right",
            tolerance: tolerance.flatMap { digits($0) } ?? 0
        )
    }

    /// `300x200`, `-300x`, `x-200`, `origx0`, `x`.
    private static func sides(_ text: String, _ rules: ThumborRules) -> ((Bool, Side), (Bool, Side))? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = side(parts[0], rules), let height = side(parts[1], rules) else {
            return nil
        }
        return (width, height)
    }

    private static func side(_ text: Substring, _ rules: ThumborRules) -> (Bool, Side)? {
        let isFlipped = text.hasPrefix("-")
        let size = isFlipped ? text.dropFirst() : text
        if size.isEmpty { return (isFlipped, .free) }
        if size == "orig", rules == .thumbor { return (isFlipped, .original) }
        guard let pixels = digits(size) else { return nil }
        return (isFlipped, pixels == 0 ? .free : .pixels(pixels))
    }

    /// `10x20` for left and right, top and bottom, or `10x20:30x40` for left, top, right and bottom.
    private static func margins(_ text: String) -> [Int]? {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count <= 2 else { return nil }
        var margins: [Int] = []
        for pair in pairs {
            let sides = pair.split(separator: "x", omittingEmptySubsequences: false).map(digits)
            guard sides.count == 2, let first = sides[0], let second = sides[1] else { return nil }
            margins += [first, second]
        }
        return margins.count == 2 ? margins + margins : margins
    }

    /// A number of at most nine digits; `nil` for anything else.
    static func digits(_ text: Substring) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
