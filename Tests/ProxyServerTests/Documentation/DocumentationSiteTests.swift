import Foundation
import TestSupport
import Testing

private let program = Checkout.path("scripts/make-site")
private let isMarkdownThere = (try? CommandRun(program: "/usr/bin/python3", ["-c", "import markdown"]).code) == 0

/// The documentation as a site, built by `scripts/make-site`.
@Suite(.timeLimit(.minutes(1)))
struct DocumentationSiteTests {
    /// Builds the site with a gallery of one picture.
    private func site() throws -> (folder: TemporaryFolder, pages: [String: String]) {
        let folder = try TemporaryFolder()
        let gallery = folder.path + "/gallery"
        try FileManager.default.createDirectory(atPath: gallery, withIntermediateDirectories: true)
        try "Sizes\t000.png\t/demo/landscape.jpg?w=240&h=200\t1234\n"
            .write(toFile: gallery + "/pictures.tsv", atomically: false, encoding: .utf8)
        try Data(TestImages.gradient(width: 4, height: 4)).write(to: URL(fileURLWithPath: gallery + "/000.png"))
        let run = try CommandRun(program: program, ["--gallery", gallery, folder.path + "/site"])
        #expect(run.code == 0, "\(run.errors)")
        var pages: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/site") {
            guard name.hasSuffix(".html") else { continue }
            pages[name] = try String(contentsOfFile: folder.path + "/site/" + name, encoding: .utf8)
        }
        return (folder, pages)
    }

    @Test(.enabled(if: isMarkdownThere, "python3-markdown is not installed"))
    func `every link leads to a page, a file or a heading`() throws {
        let (folder, pages) = try site()
        #expect(pages.count > 35)
        var count = 0
        for (name, page) in pages {
            for match in page.matches(of: /(?:href|src)="([^"]*)"/) {
                let link = String(match.output.1).replacing("&amp;", with: "&")
                if link.contains(":") { continue }
                count += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? name : parts[0]
                let isThere = FileManager.default.fileExists(atPath: folder.path + "/site/" + target)
                #expect(isThere, "\(name): \(link)")
                guard parts.count == 2, let text = pages[target] else { continue }
                #expect(text.contains("id=\"\(parts[1])\""), "\(name): \(link)")
            }
        }
        #expect(count > 1000)
    }

    @Test(.enabled(if: isMarkdownThere, "python3-markdown is not installed"))
    func `pages load nothing from elsewhere, and need no script`() throws {
        let (folder, pages) = try site()
        for (name, page) in pages {
            #expect(!page.contains("<script"), "\(name)")
            for match in page.matches(of: /<(?:img|link|iframe|source|video)[^>]*(?:src|href)="(https?:)?\/\//) {
                Issue.record("\(name): \(match.output.0)")
            }
            #expect(page.contains("<meta name=\"viewport\""), "\(name)")
        }
        let style = try String(contentsOfFile: folder.path + "/site/site.css", encoding: .utf8)
        #expect(!style.contains("url(") && !style.contains("@import"))
        #expect(style.contains("prefers-color-scheme: dark") && style.contains("max-width: 52rem"))
    }

    @Test(.enabled(if: isMarkdownThere, "python3-markdown is not installed"))
    func `the front page is the gallery, with the URL of each picture`() throws {
        let (folder, pages) = try site()
        let front = try #require(pages["index.html"])
        #expect(front.contains("<img src=\"gallery/000.png\""))
        #expect(front.contains("<code>/demo/landscape.jpg?w=240&amp;h=200</code> <small>1,234 bytes</small>"))
        #expect(FileManager.default.fileExists(atPath: folder.path + "/site/gallery/000.png"))
        let steps = try #require(pages["steps.html"])
        #expect(steps.contains("<h2 id=\"blur\">Blur</h2>") && steps.contains("<table>"))
        let index = try String(contentsOfFile: folder.path + "/site/llms.txt", encoding: .utf8)
        #expect(index.contains("](quick-start.md): "))
    }

    @Test func `a link to nowhere is an error`() throws {
        let folder = try TemporaryFolder()
        // A copy of the documents, one of them with broken links.
        let copy = try CommandRun(
            program: "/bin/sh",
            [
                "-euc",
                """
                cd '\(Checkout.folder)'
                tar -cf - scripts Sources/ProxyServer/ProxyServer.docc config deploy *.md LICENSE Benchmarks/README.md Tests/README.md \
                | tar -C '\(folder.path)' -xf -
                cd '\(folder.path)'
                printf '\\n## More\\n\\n[gone](Gone.md), [heading](Formats.md#gone), <doc:Gone>\\n' \
                >> Sources/ProxyServer/ProxyServer.docc/Steps.md
                """,
            ]
        )
        #expect(copy.code == 0, "\(copy.errors)")
        guard isMarkdownThere else { return }
        let run = try CommandRun(program: folder.path + "/scripts/make-site", [folder.path + "/site"])
        #expect(run.code == 1)
        for problem in [
            "Steps.md: Gone.md does not exist", "steps.html: formats.html#gone has no such heading",
            "Steps.md: no article named Gone",
        ] {
            #expect(run.errors.contains(problem), "\(run.errors)")
        }
    }

    @Test func `llms.txt is that of the documents`() throws {
        let run = try CommandRun(program: program, ["--llms"])
        #expect(run.code == 0, "\(run.errors)")
        let text = try String(contentsOfFile: Checkout.path("llms.txt"), encoding: .utf8)
        let isCurrent = text == run.output
        #expect(isCurrent, "run `scripts/make-site --llms > llms.txt`")
        for match in text.matches(of: /\]\(([^)]+)\)/) {
            #expect(FileManager.default.fileExists(atPath: Checkout.path(String(match.output.1))), "\(match.output.1)")
        }
    }
}
