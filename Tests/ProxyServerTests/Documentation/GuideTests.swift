import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// The commands, configurations, markup and tables of the guides.
@Suite(.timeLimit(.minutes(3)))
struct GuideTests {
    /// A daemon with the configuration of `make run`, on free ports, and a shell in which the guides' commands run.
    private final class Demo: Sendable {
        let folder: TemporaryFolder
        let daemon: DaemonProcess

        init() throws {
            folder = try TemporaryFolder()
            let file = SwiftFiles.root.appendingPathComponent("config/edgeprint.dev.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing("${CHECKOUT}/.build/demo-cache", with: folder.path + "/cache")
                .replacing("${CHECKOUT}/demo", with: try Demo.pictures.get())
            // The listeners are the daemon's own.
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("listen:") && !$0.hasPrefix("admin:") }
            daemon = try DaemonProcess(
                lines.joined(separator: "\n") + "\n",
                in: folder,
                environment: ["EDGEPRINT_OVERLOAD_QUEUE_TIME": "1m", "EDGEPRINT_TIMEOUTS_TRANSFORM": "1m"]
            )
            try daemon.waitUntilReady()
        }

        /// The folder of the demo images, which are drawn once.
        private static let pictures = Result {
            let drawn = Checkout.path("demo")
            if FileManager.default.fileExists(atPath: drawn + "/landscape.jpg") { return drawn }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("edgeprint-demo-images").path
            let run = try CommandRun(program: Checkout.path("scripts/draw-demo"), [folder])
            #expect(run.code == 0, "\(run.errors)")
            return folder
        }

        /// Runs a block as a script that ends at its first error.
        func run(_ text: String) throws -> CommandRun {
            let script = text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(daemon.port)")
                .replacing("127.0.0.1:8081", with: "127.0.0.1:\(daemon.admin)")
                .replacing("$PWD/.build/release", with: DaemonProcess.buildFolder)
                .replacing("$PWD/config/edgeprint.dev.yaml", with: daemon.configurationFile)
            return try CommandRun(
                program: "/bin/bash",
                ["-euo", "pipefail", "-c", "cd '\(folder.path)'\n" + script],
                environment: [
                    "PATH": DaemonProcess.buildFolder + ":/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder.path,
                    "EDGEPRINT_CONFIG": daemon.configurationFile,
                    // The file has port 0.
                    "EDGEPRINT_ADMIN_LISTEN": "127.0.0.1:\(daemon.admin)",
                ]
            )
        }
    }

    @Test func `there are guides, each with something that is checked`() {
        #expect(Guide.all.count >= 11)
        for guide in Guide.all { #expect(!guide.blocks.isEmpty, "\(guide.name)") }
        let commands = Guide.all.flatMap(\.blocks).count { $0.language == "sh" }
        #expect(commands >= 25)
        let known: Set = ["sh", "text", "yaml", "html", "swift", "nginx", "ini"]
        for guide in Guide.all {
            for block in guide.blocks { #expect(known.contains(block.language), "\(guide.name):\(block.line)") }
        }
    }

    @Test(arguments: Guide.all)
    func `every command runs, and prints what the guide says`(guide: Guide) throws {
        let demo = try Demo()
        for (index, block) in guide.blocks.enumerated() {
            guard block.language == "sh", block.section != Guide.installedSection else { continue }
            let run = try demo.run(block.text)
            #expect(run.code == 0, "\(guide.name):\(block.line): \(run.output) \(run.errors)")
            // The output stands in a block of text right below.
            let next = index + 1 < guide.blocks.count ? guide.blocks[index + 1] : nil
            guard let next, next.language == "text", next.section == block.section else { continue }
            let found = run.output.replacing("\r\n", with: "\n")
            #expect(found == next.text, "\(guide.name):\(next.line)")
        }
    }

    @Test func `every configuration is valid`() throws {
        for guide in Guide.all {
            for block in guide.blocks where block.language == "yaml" {
                let loader = ConfigurationLoader(environment: [:], flags: .init(config: "guide.yaml")) {
                    _ throws(ConfigurationProblem) in block.text
                }
                #expect(throws: Never.self, "\(guide.name):\(block.line)") { try loader.load() }
            }
        }
    }

    @Test func `every image of the markup is served`() throws {
        let demo = try Demo()
        var count = 0
        for guide in Guide.all {
            for block in guide.blocks where block.language == "html" {
                for match in block.text.replacing("&amp;", with: "&").matches(of: /\/demo\/[^ ",]+/) {
                    let answer = try RawHTTPClient(port: demo.daemon.port, timeoutMilliseconds: 60_000)
                        .get(String(match.output), [("Accept", "image/webp")])
                    #expect(answer.status == 200, "\(guide.name): \(match.output): \(answer.description)")
                    count += 1
                }
            }
        }
        #expect(count > 8)
    }

    /// The code in the second column of every table of a page.
    private static func counterparts(in name: String) -> [String] {
        let page = Guide.all.first { $0.name == name }
        let rows = (page?.text ?? "").split(separator: "\n").filter { $0.hasPrefix("| ") }
        return rows.flatMap { line -> [String] in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count >= 4 else { return [] }
            let parts = cells[2].split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
        }
    }

    @Test(arguments: [("Migrating", 100), ("IOSApps", 10)])
    func `every query of the tables of counterparts is valid`(page: String, count: Int) throws {
        let code = Self.counterparts(in: page)
        #expect(code.count >= count)
        let options = ParseOptions(presets: ["card": try Preset(name: "card", text: "w=400")])
        for query in code {
            #expect(throws: Never.self, "\(query)") { try RequestLanguage.parse(query: query, options: options) }
        }
    }
}
