import Foundation
import Testing

/// ARCHITECTURE.md names types, suites and files that exist.
@Suite(.timeLimit(.minutes(1)))
struct ArchitecturePageTests {
    let names: [String]

    init() throws {
        let file = SwiftFiles.root.appendingPathComponent("ARCHITECTURE.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        names = prose.flatMap { part in
            part.element.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(
                \.element
            )
        }
    }

    @Test func `names files and folders that exist`() {
        let paths = names.filter { $0.hasSuffix(".swift") }
        #expect(paths.count > 10)
        let sources = SwiftFiles(below: "Sources")
        for path in paths {
            let name = path.components(separatedBy: "/").last ?? path
            let isThere =
                path.contains("/")
                ? FileManager.default.fileExists(atPath: SwiftFiles.root.appendingPathComponent("Sources/\(path)").path)
                : sources.contains(String(name.dropLast(6)))
            #expect(isThere, "\(path)")
        }
    }

    @Test func `names types, suites and folders that exist`() throws {
        let words = names.filter { !$0.contains(".swift") }.map { $0.prefix { $0.isLetter || $0.isNumber } }.map(
            String.init
        ).filter { name in
            name.first?.isUppercase == true && name.contains(where: \.isLowercase) && name.count > 6
        }
        #expect(words.count > 60)
        var known = try declared(below: "Sources").union(declared(below: "Tests"))
        known.formUnion(["Sources", "Expires", "Retry"])
        for word in Set(words) { #expect(known.contains(word), "\(word)") }
    }

    @Test(arguments: ["HTTPCache", "ImagePipeline"])
    func `describes every folder of the two large modules`(module: String) throws {
        let table = try MarkdownTable(in: "ARCHITECTURE.md", below: "| Folder of `\(module)` | Contents |")
        let folder = SwiftFiles.root.appendingPathComponent("Sources/\(module)")
        let children = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.isDirectoryKey]
        )
        let folders = try children.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
        #expect(table.rows.map { $0[0] }.sorted() == folders.map { "`\($0.lastPathComponent)`" }.sorted())
    }

    @Test func `lists every thread that the daemon starts`() throws {
        let rows = try MarkdownTable(in: "ARCHITECTURE.md", below: "## Threads and processes").rows
        // The first of several threads stands for all.
        let listed = Set(rows.flatMap { $0[1].matches(of: /`([a-z-]+)[0-9]?`/).map { String($0.output.1) } })
        let walk = FileManager.default.enumerator(
            at: SwiftFiles.root.appendingPathComponent("Sources"),
            includingPropertiesForKeys: nil
        )
        var started: Set<String> = []
        for case let url as URL in walk ?? FileManager.DirectoryEnumerator() where url.pathExtension == "swift" {
            if url.path.contains("/ImageWorker/") || url.path.contains("/Commands/") { continue }
            let text = try String(contentsOf: url, encoding: .utf8)
            for match in text.matches(of: /SystemThread\.start\(name: "([a-z-]+)/) {
                started.insert(String(match.output.1))
            }
        }
        #expect(started.count > 15)
        #expect(started.subtracting(listed) == [])
        // Names that a caller passes on.
        #expect(listed.subtracting(started) == ["read-", "store-reads", "store-writes", "edgeprint"])
    }

    /// The types that the Swift files below a folder declare, and the names of its folders.
    private func declared(below folder: String) throws -> Set<String> {
        let root = SwiftFiles.root.appendingPathComponent(folder)
        var found: Set<String> = []
        let declaration = /\b(?:struct|class|enum|protocol|actor|typealias) ([A-Z]\w+)/
        let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        for case let url as URL in walk ?? FileManager.DirectoryEnumerator() {
            guard url.pathExtension == "swift" else {
                found.insert(url.lastPathComponent)
                continue
            }
            let text = try String(contentsOf: url, encoding: .utf8)
            for match in text.matches(of: declaration) { found.insert(String(match.output.1)) }
        }
        return found
    }
}
