import Foundation
import TestSupport

/// The first table below a heading of a Markdown file.
struct MarkdownTable {
    /// The rows without the header, one text per cell.
    let rows: [[String]]

    /// - Parameters:
    ///   - file: the path below the package's folder.
    ///   - heading: the whole line.
    init(in file: String, below heading: String) throws {
        let text = try String(contentsOfFile: Checkout.path(file), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != heading }
        let table = lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        rows = table.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
