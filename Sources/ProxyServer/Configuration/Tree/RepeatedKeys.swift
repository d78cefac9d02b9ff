import Yams

/// Parses documents with repeated keys, of which the parser names neither the path nor the second place.
///
/// The first of two equal keys is renamed until the document can be parsed; `name(_:)` returns the original name.
enum RepeatedKeys {
    /// Encloses the number of a renamed key: a character for private use.
    private static let mark: Character = "\u{E000}"
    /// The maximum number of keys that are renamed, as each one costs a pass.
    private static let maximum = 50

    /// Parses a document; leaves all scalars as text.
    ///
    /// - Returns: the document, and the parser's error if it has repeated keys.
    static func compose(_ text: String) throws -> (root: Node?, error: (any Error)?) {
        var (text, first) = (text, nil as (any Error)?)
        for number in 0..<maximum {
            do {
                return (try Yams.compose(yaml: text, .basic), first)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                first = first ?? YamlError.duplicatedKeysInMapping(duplicates: keys, context: context)
                rename(number, at: context.mark, in: &text)
            } catch {
                throw first ?? error
            }
        }
        return (try Yams.compose(yaml: text, .basic), first)
    }

    /// Returns a key's name in the document.
    static func name(_ key: String) -> String {
        let parts = key.split(separator: mark, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].isEmpty ? String(parts[2]) : key
    }

    private static func rename(_ number: Int, at place: Mark, in text: inout String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard place.line <= lines.count, case let line = lines[place.line - 1].unicodeScalars,
            var start = line.index(line.startIndex, offsetBy: place.column - 1, limitedBy: line.endIndex)
        else { return }
        if start < line.endIndex, "\"'".unicodeScalars.contains(line[start]) { start = line.index(after: start) }
        text.insert(contentsOf: "\(mark)\(number)\(mark)", at: start)
    }
}
