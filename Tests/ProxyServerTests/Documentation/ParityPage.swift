import Foundation

/// The parsed page 'SDWebImage parity'.
struct ParityPage {
    /// A row of one of the page's tables.
    struct Row: Sendable, CustomStringConvertible {
        /// SDWebImage's name.
        let name: String
        /// `M`, `S` or `N`, with a remark.
        let priority: String
        /// The implementation, with its types.
        let here: String
        /// The tests that demonstrate it.
        let shownBy: String

        var description: String { name }
        var isNotApplicable: Bool { here.hasPrefix("Not applicable: ") }
        var isNotYet: Bool { here == "Not yet" }
        var isPartly: Bool { here.hasPrefix("Partly: ") }

        /// The types that the row names: code of letters and digits that begins with a capital and has lower-case letters, with `+`
        /// before an extension's name.
        var types: [String] {
            Self.code(in: here).filter { word in
                word.first?.isUppercase == true && word.contains(where: \.isLowercase)
                    && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "+" }
            }
        }

        /// The tests that the row names, as `Suite/sentence`.
        var tests: [String] { Self.code(in: shownBy) }

        /// The texts between backticks.
        private static func code(in text: String) -> [String] {
            let parts = text.split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
        }
    }

    struct Section {
        let title: String
        var rows: [Row] = []
    }

    private(set) var sections: [Section] = []
    /// Table lines that are not rows of four cells.
    private(set) var malformed: [String] = []

    var rows: [Row] { sections.flatMap(\.rows) }

    /// Parses the page's text.
    init(_ text: String) {
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("## ") { sections.append(Section(title: String(line.dropFirst(3)))) }
            guard line.hasPrefix("|"), line != Self.header, line != Self.rule else { continue }
            guard let row = Self.row(line), !sections.isEmpty else {
                malformed.append(line)
                continue
            }
            sections[sections.count - 1].rows.append(row)
        }
    }

    private static let header = "| Name | Priority | Here | Shown by |"
    private static let rule = "| --- | --- | --- | --- |"

    private static func row(_ line: String) -> Row? {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4, !cells[0].isEmpty, !cells[1].isEmpty, !cells[2].isEmpty else { return nil }
        return Row(name: cells[0], priority: cells[1], here: cells[2], shownBy: cells[3])
    }
}

/// The Swift files of the checkout that these tests were built from.
struct SwiftFiles {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files below a folder, by name without extension; several may share one.
    private let files: [String: [URL]]

    init(below folder: String) {
        let walk = FileManager.default.enumerator(
            at: Self.root.appendingPathComponent(folder),
            includingPropertiesForKeys: nil
        )
        let all = walk?.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
        files = Dictionary(grouping: all) { $0.deletingPathExtension().lastPathComponent }
    }

    func contains(_ name: String) -> Bool { files[name] != nil }

    /// The number of files with a name that contain a text.
    func count(of text: String, in name: String) throws -> Int {
        try (files[name] ?? []).count { try String(contentsOf: $0, encoding: .utf8).contains(text) }
    }
}
