/// The camera settings from an EXIF block that pages show under a photograph; never location, author or serial numbers.
package struct CameraFacts: Hashable, Sendable {
    package var make: String?
    package var model: String?
    package var lens: String?
    /// The time of the photograph: `2024-05-01T12:00:00`, with an offset if the camera recorded one.
    package var taken: String?
    /// The exposure time in seconds, such as `1/250` or `2.5`.
    package var exposure: String?
    /// The f-number.
    package var aperture: String?
    package var iso: Int?
    /// The focal length in millimetres.
    package var focalLength: String?

    /// Tags (Exif 3.0 §4.6.5, §4.6.6), without the GPS directory, which is never read.
    private enum Tag {
        static let make = 0x010F
        static let model = 0x0110
        static let exifDirectory = 0x8769
        static let exposure = 0x829A
        static let aperture = 0x829D
        static let iso = 0x8827
        static let taken = 0x9003
        static let zone = 0x9011
        static let focalLength = 0x920A
        static let lens = 0xA434
    }

    /// Reads a block, with or without a leading `Exif`; damaged or missing fields stay `nil`.
    package init(exif bytes: [UInt8]) {
        let start = bytes.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
        guard let block = ExifBlock(Array(bytes.dropFirst(start))) else { return }
        let main = block.directory(at: block.firstDirectory)
        let exif = main[Tag.exifDirectory].flatMap { block.number($0) }.map { block.directory(at: $0) } ?? [:]
        make = main[Tag.make].flatMap { block.text($0) }
        model = main[Tag.model].flatMap { block.text($0) }
        lens = exif[Tag.lens].flatMap { block.text($0) }
        taken = exif[Tag.taken].flatMap { block.text($0) }
            .flatMap { Self.time($0, zone: exif[Tag.zone].flatMap { block.text($0) }) }
        exposure = exif[Tag.exposure].flatMap { block.rational($0) }.flatMap(Self.seconds)
        aperture = exif[Tag.aperture].flatMap { block.rational($0) }.flatMap(Self.decimal)
        iso = exif[Tag.iso].flatMap { block.number($0) }.flatMap { $0 > 0 ? $0 : nil }
        focalLength = exif[Tag.focalLength].flatMap { block.rational($0) }.flatMap(Self.decimal)
    }

    /// Whether all fields are `nil`.
    package var isEmpty: Bool { members.isEmpty }

    /// The members of a JSON object, in a fixed order.
    var members: [String] {
        func text(_ name: String, _ value: String?) -> String? {
            value.map { "\"\(name)\":\(JSONText.quotedLine($0))" }
        }
        func number(_ name: String, _ value: String?) -> String? { value.map { "\"\(name)\":\($0)" } }
        return [
            text("make", make), text("model", model), text("lens", lens), text("taken", taken),
            text("exposure", exposure), number("aperture", aperture), number("iso", iso.map { String($0) }),
            number("focalLength", focalLength),
        ].compactMap(\.self)
    }

    /// Converts `2024:05:01 12:00:00` and `+02:00` to RFC 3339; `nil` for anything else.
    private static func time(_ text: String, zone: String?) -> String? {
        guard matches(text, "dddd:dd:dd dd:dd:dd") else { return nil }
        var characters = Array(text.utf8)
        (characters[4], characters[7], characters[10]) = (0x2D, 0x2D, 0x54)
        let time = String(decoding: characters, as: UTF8.self)
        guard let zone, matches(zone, "+dd:dd") || matches(zone, "-dd:dd") else { return time }
        return time + zone
    }

    /// Whether a text matches a pattern in which `d` is any digit.
    private static func matches(_ text: String, _ shape: String) -> Bool {
        guard text.utf8.count == shape.utf8.count else { return false }
        return zip(text.utf8, shape.utf8).allSatisfy { character, expected in
            expected == UInt8(ascii: "d") ? (0x30...0x39).contains(character) : character == expected
        }
    }

    /// Formats an exposure time, below half a second as a fraction.
    private static func seconds(_ value: ExifBlock.Rational) -> String? {
        guard value.numerator > 0, value.denominator > 0 else { return nil }
        guard value.numerator * 2 < value.denominator else { return decimal(value) }
        return "1/\((value.denominator + value.numerator / 2) / value.numerator)"
    }

    /// Formats a number with at most one decimal.
    private static func decimal(_ value: ExifBlock.Rational) -> String? {
        guard value.numerator > 0, value.denominator > 0 else { return nil }
        let tenths = (value.numerator * 10 + value.denominator / 2) / value.denominator
        return tenths.isMultiple(of: 10) ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }
}
