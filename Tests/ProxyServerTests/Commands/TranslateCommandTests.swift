import Foundation
import TestSupport
import Testing

/// `edgeprint translate`.
@Suite(.timeLimit(.minutes(1)))
struct TranslateCommandTests {
    private func translate(_ arguments: String..., input: String, yaml: String = "sources: {}") throws -> CommandRun {
        let folder = try TemporaryFolder()
        let file = folder.path + "/edgeprint.yaml"
        try yaml.write(toFile: file, atomically: false, encoding: .utf8)
        return try CommandRun(["translate"] + arguments + ["--config", file], input: input)
    }

    @Test func `prints a line for each URL, and a report`() throws {
        let input = """
            https://thumbs.example.com/unsafe/300x200/cat.jpg
            /unsafe/filters:nonsense(1)/cat.jpg

            //thumbs.example.com/unsafe/300x200/filters:nonsense(2)/cat.jpg\r
            /AAAAAAAAAAAAAAAAAAAAAAAAAAA=/300x0/https://example.org/a%20b.jpg
            """
        let run = try translate("--dialect", "thumbor", "--source", "photos", input: input)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.code == 1 && lines.count == 6, "\(run.output)\(run.errors)")
        guard lines.count == 6 else { return }
        #expect(lines[0].hasPrefix("/photos/cat.jpg?w=300&h=200"), "\(lines[0])")
        #expect(lines[1].hasPrefix("# ") && lines[1].contains("nonsense") && lines[3].hasPrefix("# "))
        #expect(lines[2].isEmpty && lines[5].isEmpty)
        #expect(lines[4].hasPrefix("/fetch?url=https:%2F%2Fexample.org%2Fa%2520b.jpg&w=300"), "\(lines[4])")
        #expect(run.errors.hasPrefix("4 URLs: 2 translated (50.0 %), 2 not; "), "\(run.errors)")
        #expect(run.errors.contains("  2  nonsense: ") && run.errors.contains("(first in line 2)"), "\(run.errors)")
    }

    @Test func `prints valid request paths`() throws {
        let input = """
            /unsafe/300x0/a b.jpg
            /unsafe/300x0/ü.jpg
            /unsafe/300x0/a"b%20c.jpg
            """
        let run = try translate("--dialect", "thumbor", "--source", "photos", input: input)
        let paths = run.output.split(separator: "\n").map { line in String(line.prefix { $0 != "?" }) }
        #expect(paths == ["/photos/a%20b.jpg", "/photos/%C3%BC.jpg", "/photos/a%22b%20c.jpg"], "\(run.errors)")
    }

    @Test func `a query of an image of Cloudflare is subject to its source`() throws {
        let yaml = """
            sources:
              photos: { url: "https://photos.example.com/", forward-query: [v], dialect: cloudflare }
            """
        let input = """
            /photos/cdn-cgi/image/width=50/g.png?v=2
            /photos/cdn-cgi/image/width=50/g.png?u=2
            """
        let run = try translate(input: input, yaml: yaml)
        let lines = run.output.split(separator: "\n")
        #expect(run.code == 1 && lines.count == 2, "\(run.output)\(run.errors)")
        guard lines.count == 2 else { return }
        #expect(lines[0].hasPrefix("/photos/g.png?v=2&w=50&"), "\(lines[0])")
        #expect(lines[1].hasPrefix("# ") && lines[1].contains("u:"), "\(lines[1])")
    }

    @Test func `finds the language by the configuration, and signs`() throws {
        let yaml = """
            hosts: [img.example.com]
            sources:
              photos: { url: "https://photos.example.com/" }
              old: { dialect: cloudflare, dialect-source: photos }
            sites:
              thumbs:
                hosts: [t.example.com]
                dialect: thumbor
                sources: { main: { url: "https://photos.example.com/" } }
                signing: { keys: [\(String(repeating: "cd", count: 32))] }
              bare: { hosts: [b.example.com], dialect: thumbor, sources: { main: { url: "https://photos.example.com/" } } }
            signing: { keys: [\(String(repeating: "ab", count: 32))] }
            """
        let input = """
            https://img.example.com/old/cdn-cgi/image/width=300/cat.jpg
            https://t.example.com/unsafe/300x0/photos.example.com/cat.jpg
            https://b.example.com/unsafe/300x0/photos.example.com/cat.jpg
            /photos/cat.jpg?w=300
            /nobody/cat.jpg?w=300
            """
        let run = try translate("--sign", input: input, yaml: yaml)
        let lines = run.output.split(separator: "\n")
        #expect(run.code == 1 && lines.count == 5, "\(run.output)\(run.errors)")
        guard lines.count == 5 else { return }
        #expect(lines[0].hasPrefix("/photos/cat.jpg?") && lines[0].contains("&sig="), "\(lines[0])")
        #expect(lines[1].hasPrefix("/main/cat.jpg?w=300&") && lines[1].contains("&sig="), "\(lines[1])")
        #expect(lines[2] == "# The site bare has no key to sign with.", "\(lines[2])")
        #expect(lines[3].hasPrefix("/photos/cat.jpg?w=300&sig="))
        #expect(lines[4].hasPrefix("# ") && lines[4].contains("nobody"), "\(lines[4])")
    }

    @Test(arguments: [["--sign"], ["--sign", "--dialect", "thumbor", "--source", "photos"]])
    func `signs nothing without a key`(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/edgeprint.yaml"
        try "sources: {}".write(toFile: file, atomically: false, encoding: .utf8)
        let run = try CommandRun(["translate"] + arguments + ["--config", file], input: "/unsafe/300x0/cat.jpg")
        #expect(run.code == 1 && run.output.isEmpty && run.errors.contains("signing.keys"), "\(run.errors)")
    }

    @Test func `reads access logs`() throws {
        let input = """
            127.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "GET /unsafe/300x200/cat.jpg HTTP/1.1" 200 2326 "-" "agent"
            nothing
            127.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "GET /unsafe/30x20/\\xC3\\xBC\\x22.jpg HTTP/1.1" 200 2326 "-" "agent"
            {"target":"/unsafe/30x20/dog.jpg","status":200,"bytes":700}
            """
        let run = try translate("--dialect", "thumbor", "--source", "photos", "--access-log", input: input)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.code == 0 && lines.count == 5, "\(run.output)\(run.errors)")
        guard lines.count == 5 else { return }
        #expect(lines[0].hasPrefix("/photos/cat.jpg?") && lines[3].hasPrefix("/photos/dog.jpg?"))
        #expect(lines[2].hasPrefix("/photos/%C3%BC%22.jpg?"), "\(lines[2])")
        #expect(run.errors.contains("3 URLs: 3 translated (100.0 %)") && run.errors.contains("1 line left out"))
    }

    @Test func `of ten thousand URLs each is one line`() throws {
        let input = (0..<10_000).map { "/unsafe/\($0 % 900 + 1)x200/smart/filters:quality(80)/photos/\($0).jpg\n" }
            .joined()
        let run = try translate("--dialect", "thumbor", "--source", "photos", input: input)
        #expect(run.code == 0 && run.output.split(separator: "\n").count == 10_000, "\(run.errors)")
        print("translate:", run.errors)
    }

    @Test func `refuses options that contradict each other`() throws {
        #expect(try translate("--source", "photos", input: "").code == 64)
        #expect(try translate("--dialect", "imgprxy", input: "").code == 64)
        #expect(try translate("--dialect", "weserv", "--source", "A/B", input: "").code == 64)
        let unknown = try translate("--site", "nobody", input: "")
        #expect(unknown.code == 1 && unknown.errors.contains("nobody"))
    }
}
