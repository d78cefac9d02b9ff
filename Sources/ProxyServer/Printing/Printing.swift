import Foundation
import Glibc

/// Formats numbers and texts for display.
enum Printing {
    /// A size with a binary unit: `1.2 GiB`, `999 B`.
    static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if abs(value) < 1000 { return unit == "B" ? "\(bytes) B" : "\(rounded(value)) \(unit)" }
            value /= 1024
        }
        return "\(rounded(value)) TiB"
    }

    /// A number with its noun, in the plural unless the number is 1.
    static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// A duration such as `3d 4h` or `12m 5s`.
    static func duration(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        let start = parts.firstIndex { $0.0 > 0 } ?? 3
        return parts[start...].prefix(2).map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    /// One decimal below ten, none above.
    static func rounded(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        guard abs(tenths) < 100, tenths.truncatingRemainder(dividingBy: 10) != 0 else {
            return String(Int(value.rounded()))
        }
        return String(tenths / 10)
    }

    /// The text without characters that could end the line or control the terminal.
    static func plain(_ text: String) -> String {
        var line: [UInt8] = []
        // Quotes stay: the text is not in quotes itself.
        for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { line.append(UInt8(ascii: "\"")) }
            LogText.appendUnquoted(String(part), to: &line)
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// Writes the output of commands.
enum StandardOutput {
    /// Writes a text.
    ///
    /// - Throws: an error if the text cannot be written, as on a full disk.
    static func write(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}

/// Writes the messages of commands.
enum StandardError {
    /// Writes a text; there is nowhere to report a failure.
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
