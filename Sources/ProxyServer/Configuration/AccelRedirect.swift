/// Lets a trusted nginx in front send the content files of large images itself (`answers.accel-redirect`).
struct AccelRedirect: Sendable, Equatable {
    /// The path of nginx's internal location for the cache folder, with a slash at both ends; `nil` for no redirects.
    var prefix: String?
    /// The length in bytes from which an image is sent by nginx.
    var from = defaultLength

    /// The default of `from`.
    static let defaultLength = 64 << 10

    /// The length from which content files are bare; `nil` for none.
    var bareFrom: Int? { prefix == nil ? nil : from }

    /// Parses `off` or a prefix; nginx decodes and normalizes the path of a redirect, so only plain segments are allowed.
    static func prefix(_ text: String) -> String?? {
        if text == "off" || text == "false" { return .some(nil) }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= 128, segments.count >= 3, segments.first == "", segments.last == "" else { return nil }
        let isPlain = segments.dropFirst().dropLast().allSatisfy { segment in
            !segment.isEmpty && segment.first != "."
                && segment.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                        true
                    default: false
                    }
                }
        }
        // Not a conditional expression, in which nil would be the inner one: off.
        guard isPlain else { return nil }
        return text
    }
}

extension ValueFormat where Value == String? {
    /// `off`, or the path of nginx's internal location.
    static var accelPrefix: ValueFormat {
        .scalar("off, or a path with a slash at both ends such as /edgeprint-cache/", parse: AccelRedirect.prefix) {
            $0.map(YAMLValue.plain) ?? .plain("off")
        }
    }
}
