import HTTPKit
import HTTPSemantics

/// The origins whose scripts may read responses and their timing (`answers.cors`).
enum CrossOrigin: Hashable, Sendable {
    /// Every origin.
    case any
    /// A single origin in its serialized form: lower-case scheme, host and port, without the scheme's default port.
    case origin(String)
    /// No other origin.
    case off

    /// Parses `*`, `off`, or an origin (RFC 6454 §6.2); `nil` for anything else, including an origin with a path.
    init?(_ text: String) {
        switch text {
        case "*": self = .any
        case "off", "false": self = .off
        default:
            let lower = text.lowercased()
            guard let url = try? OriginURL(lower), !lower.contains("@"), !lower.contains("?"), !lower.contains("#"),
                lower.split(separator: "/", omittingEmptySubsequences: false).count == 3
            else { return nil }
            self = .origin(url.origin)
        }
    }

    /// The text form.
    var text: String {
        switch self {
        case .any: "*"
        case .origin(let origin): origin
        case .off: "off"
        }
    }

    /// The fields that scripts may read, in addition to those that the Fetch Standard safelists (§3.3.3).
    private static let exposed =
        "Age, Cache-Status, Content-Credentials, Content-Disposition, Content-Range, ETag, RateLimit, RateLimit-Policy, "
        + "Retry-After, Server-Timing, X-Animation, X-Blurhash, X-Dominant-Color, X-Original-Size, X-Quality, X-Thumbhash, "
        + "X-Untransformed"

    /// The encoded fields of every response.
    ///
    /// `Vary: Origin` is not needed, as every response names the same origin.
    var fields: [UInt8] {
        guard self != .off else { return [] }
        var block = FieldBlock()
        block.append("Access-Control-Allow-Origin", text)
        block.append("Access-Control-Expose-Headers", Self.exposed)
        block.append("Timing-Allow-Origin", text)
        return block.bytes
    }

    /// The encoded fields of a preflight response (Fetch §4.8).
    ///
    /// - Parameter methods: the allowed methods.
    func preflightFields(methods: String) -> [UInt8] {
        guard self != .off else { return [] }
        var block = FieldBlock()
        block.append("Access-Control-Allow-Methods", methods)
        block.append("Access-Control-Allow-Headers", "*")
        block.append("Access-Control-Max-Age", "86400")
        return fields + block.bytes
    }
}
