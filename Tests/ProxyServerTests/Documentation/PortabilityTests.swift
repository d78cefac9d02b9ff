import Foundation
import Testing

/// The modules of pure values depend on the C library in one file each.
@Suite(.timeLimit(.minutes(1)))
struct PortabilityTests {
    @Test(arguments: [("ImagePlan", "MathFunctions.swift"), ("HTTPSemantics", "IPAddress.swift")])
    func `only one file imports the C library`(module: String, file: String) throws {
        let folder = SwiftFiles.root.appendingPathComponent("Sources/\(module)")
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        #expect(files.count > 10)
        let importing = try files.filter { url in
            try String(contentsOf: url, encoding: .utf8).contains(
                /(?m)^(?:package |public )?import (?:Glibc|Musl|Darwin|Foundation)/
            )
        }
        #expect(importing.map(\.lastPathComponent) == [file])
        let text = try String(contentsOf: #require(importing.first), encoding: .utf8)
        // A platform without Glibc compiles it, too.
        #expect(text.contains("#if canImport(Glibc)") && text.contains("#elseif canImport(Musl)"))
    }

    @Test func `the library for apps imports nothing but the language, and does not show it`() throws {
        let folder = SwiftFiles.root.appendingPathComponent("Sources/EdgeprintURL")
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        #expect(files.count > 10)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n") where line.contains(/^(?:[a-z@]+ )*import\b/) {
                #expect(line == "internal import ImagePlan", "\(file.lastPathComponent)")
            }
            // It is the same on all systems.
            #expect(!text.contains("#if os(") && !text.contains("@available"), "\(file.lastPathComponent)")
        }
    }

    @Test(arguments: ["ImagePlan", "EdgeprintURL"])
    func `what the library for apps is made of is there on iOS 16`(module: String) throws {
        // Of iOS 18 and iOS 26; a Linux compiler does not check availability.
        let later = ["String(validating:", "InlineArray", "UTF8Span", "UInt128", "Int128", ".utf8.span"]
        let folder = SwiftFiles.root.appendingPathComponent("Sources/\(module)")
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in walk ?? FileManager.DirectoryEnumerator() where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            for name in later { #expect(!code.contains(name), "\(file.lastPathComponent): \(name)") }
        }
    }
}
