import Foundation
import Testing

/// A guide of the documentation: its blocks of code.
struct Guide: Sendable, CustomTestStringConvertible {
    /// A fenced block.
    struct Block: Sendable {
        var language: String
        var text: String
        /// The number of its first line.
        var line: Int
        /// The heading of the second level above it.
        var section: String
    }

    let name: String
    let text: String
    let blocks: [Block]

    var testDescription: String { name }

    /// Parses the text of a page.
    init(name: String, text: String) {
        self.name = name
        self.text = text
        var blocks: [Block] = []
        var open: Block?
        var section = ""
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    open = Block(language: String(line.dropFirst(3)), text: "", line: number + 2, section: section)
                }
            } else if open != nil {
                open?.text += line + "\n"
            } else if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            }
        }
        self.blocks = blocks
    }

    /// The guides of the catalogue, by name.
    static let all: [Guide] = {
        let folder = SwiftFiles.root.appendingPathComponent("Sources/ProxyServer/ProxyServer.docc/Guides")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }.compactMap { file in
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            return Guide(name: file.deletingPathExtension().lastPathComponent, text: text)
        }
    }()

    /// The section whose commands `scripts/debian/try-readme` runs in an installed system.
    static let installedSection = "On a server"
}
