import HTTPKit
import HTTPSemantics

/// The pages of other origins whose scripts may read answers and their timing (`answers.cors`).
enum CrossOrigin: Hashable, Sendable {
    /// Those of every origin.
    case any
    /// Those of one, as browsers write it: scheme, host and port, in lower case, without the scheme's own port.
    case origin(String)
    /// None.
    case off

    /// Reads `*`, `off`, or an origin (RFC 6454 §6.2); `nil` for everything else, an origin with a path included.
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

    /// The text that it is read from.
    var text: String {
        switch self {
        case .any: "*"
        case .origin(let origin): origin
        case .off: "off"
        }
    }

    /// What scripts may read of an answer beside the fields that Fetch lets them read anyway (§3.3.3).
    private static let exposed =
        "Age, Cache-Status, Content-Disposition, Content-Range, ETag, Retry-After, Server-Timing, X-Animation, X-Blurhash, "
        + "X-Dominant-Color, X-Original-Size, X-Thumbhash, X-Untransformed"

    /// The fields of every answer, encoded.
    ///
    /// One origin needs no `Vary: Origin`: every answer names the same.
    var fields: [UInt8] {
        guard self != .off else { return [] }
        var block = FieldBlock()
        block.append("Access-Control-Allow-Origin", text)
        block.append("Access-Control-Expose-Headers", Self.exposed)
        block.append("Timing-Allow-Origin", text)
        return block.bytes
    }

    /// The fields of the answer to a preflight request, encoded (Fetch §4.8).
    ///
    /// - Parameter methods: what may be asked.
    func preflightFields(methods: String) -> [UInt8] {
        guard self != .off else { return [] }
        var block = FieldBlock()
        block.append("Access-Control-Allow-Methods", methods)
        block.append("Access-Control-Allow-Headers", "*")
        block.append("Access-Control-Max-Age", "86400")
        return fields + block.bytes
    }
}
