import EdgeprintURL
import Foundation
import Testing

@testable import AdapterExamples

/// The app's half of 'An app in ten minutes'; `GuideTests` runs the server's.
@Suite(.timeLimit(.minutes(1)))
struct TutorialTests {
    private let article: String
    /// The URL that the backend makes in the article.
    private let scoped: String

    init() throws {
        let guides = "Sources/ProxyServer/ProxyServer.docc/Guides"
        article = try Vectors.text("\(guides)/AnAppInTenMinutes.md")
        let lines = article.split(separator: "\n").map(String.init)
        scoped = try #require(lines.first { $0.hasPrefix("/photos/cat.jpg?scope=") })
    }

    @Test func `the app of the article is compiled`() throws {
        let source = try Vectors.text("clients/swift/Tutorial/CatList.swift")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let code = blocks.filter { !$0.contains(".package(") }
        #expect(blocks.count == 2 && code.count == 1)
        for block in code { #expect(source.contains(block)) }
    }

    @Test func `the backend's URL is the one that the library makes`() throws {
        let line = article.split(separator: "\n").first { $0.contains("signing: { keys:") }
        let key = try #require(line?.split(separator: "\"").dropFirst().first)
        let server = try ImageServer("", authenticator: HMACKey(hexadecimal: String(key)))
        let scope = URLScope().allow("w", [.range(40...1600)]).allow("h", [.range(40...1600)])
            .allow("fit", ["cover"]).allow("dpr", [.range(1...3)])
        #expect(try server.scopedURL(for: .path("photos/cat.jpg"), scope: scope).description == scoped)
    }

    @Test func `the app asks for what the article explains`() throws {
        let cat = Cat(url: "https://img.example.com" + scoped, thumbHash: "ogYGNY6Ad4dTeHd3eHeHh4CRCNiH")
        let url = try cat.address(side: 120, scale: 3)
        #expect(url?.absoluteString == "https://img.example.com\(scoped)&w=120&h=120&fit=cover&dpr=3")
        #expect(cat.placeholder?.cgImage?.width == 32)
        let error = #expect(throws: ImageURLError.self) { try cat.address(side: 20, scale: 3) }
        #expect(error?.parameter == "w")
    }
}
