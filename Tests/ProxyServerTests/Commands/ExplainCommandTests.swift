import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ExplainCommandTests {
    @Test func `prints aligned sections, and exits 0`() throws {
        let file = try ConfigurationText("sources: { photos: { url: \"https://photos.example.com/\" } }")
        let run = try CommandRun(["explain", "/photos/a.jpg?w=40&blur=2", "--all", "--config", file.path])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        let sections = lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") }.dropFirst()
        #expect(
            sections == [
                "request", "source", "upstream", "signature", "steps", "settings", "cache", "limits", "timeouts",
                "quality", "formats", "avif",
                "freshness",
            ]
        )
        // The third column is aligned in all lines.
        let starts = Set(lines.compactMap { $0.firstRange(of: "default")?.lowerBound.utf16Offset(in: $0) })
        #expect(starts.count == 1, "\(run.output)")
        #expect(run.output.contains("URL parameter blur"))
    }

    @Test func `omits defaults, and prints their number`() throws {
        let file = try ConfigurationText(
            "limits: { pixels: 9MP }\nsources: { photos: { url: \"https://photos.example.com/\", connections: 6 } }"
        )
        let arguments = ["explain", "/photos/a.jpg?w=40&q=70", "--config", file.path]
        let run = try CommandRun(arguments)
        let lines = run.output.split(separator: "\n")
        let sections = lines.filter { !$0.hasPrefix(" ") }.dropFirst().dropLast()
        #expect(
            sections == ["request", "source", "upstream", "signature", "steps", "settings", "cache", "limits"],
            "\(run.output)"
        )
        // A setting that is set stays, even if it equals the default.
        for name in ["pixels", "connections", "q"] { #expect(lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)") }
        for name in ["redirects", "ttl", "effort"] {
            #expect(!lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
        }
        let all = try CommandRun(arguments + ["--all"])
        let count = all.output.split(separator: "\n").count { $0.hasPrefix("  ") } - lines.count { $0.hasPrefix("  ") }
        #expect(lines.last?.hasPrefix("\(count) settings at the default; --all ") == true, "\(run.output)")
        let json = try CommandRun(arguments + ["--json"])
        #expect(json.output.contains("\"omitted\": \(count)") && !json.output.contains("\"redirects\""))
        #expect(try !CommandRun(arguments + ["--json", "--all"]).output.contains("\"omitted\""))
    }

    @Test func `exits 1 with the problem, as text and as JSON`() throws {
        let file = try ConfigurationText("sources: { photos: { url: \"https://photos.example.com/\" } }")
        let text = try CommandRun(["explain", "/photos/a.jpg?w=0", "--config", file.path])
        #expect(text.code == 1)
        #expect(text.output.contains("responds with 400 Bad Request: w: must be"), "\(text.output)")
        let json = try CommandRun(["explain", "/photos/a.jpg?w=0", "--config", file.path, "--json"])
        #expect(json.code == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let problem = try #require(object["problem"] as? [String: Any])
        #expect(problem["status"] as? Int == 400)
        #expect(problem["parameter"] as? String == "w")
        #expect(try CommandRun(["explain", "photos/a.jpg", "--config", file.path]).code == 64)
        #expect(try CommandRun(["explain", "/a", "--config", "/nowhere.yaml"]).code == 1)
    }

    @Test func `shows the daemon's error for every invalid request`() throws {
        let rig = try EndToEndRig(
            "presets: { thumb: \"w=4\" }",
            source: ", originals: refuse, forward-query: [v]",
            script: ScriptedOrigin.pictures([:])
        )
        let explainer = try Explainer(
            try ConfigurationLoader(environment: [:], flags: .init(config: rig.folder.path + "/edgeprint.yaml"))
                .loadWithOrigins(),
            time: ManualTime()
        )
        let targets = [
            "/photos/a.jpg", "/photos/a.jpg?w=0", "/photos/a.jpg?w=1&w=2", "/photos/a.jpg?x=1", "/photos/a.jpg?w=%zz",
            "/photos/../a.jpg?w=1", "/photos/%2e%2E/a.jpg?w=1", "/photos/%00?w=1", "/photos/a?fit=cover",
            "/nobody/a.jpg",
            "/Photos/a.jpg?w=1", "/fetch", "/fetch?w=1", "/fetch?url=ftp%3A%2F%2Fa%2F", "/fetch?url=http%3A%2F%2Fa%2F",
            "/fetch/x?url=http%3A%2F%2Fa%2F", "/photos/a?preset=none", "/photos/a?preset=nobody", "/photos/a?url=x&w=1",
            "/photos/a?=1", "/photos/a?w", "/photos/a?w=1&exp=x", "/photos/a?w=1&exp=1", "/photos/a?w=1&sig=x",
            "/photos/a?w=1&filename=..%2Fa", "/photos/a?w=1#b",
            "*", "http://", "/" + String(repeating: "a", count: 9000),
        ]
        for target in targets {
            let answer = try rig.get(target)
            let explained = explainer.explain(target).problem
            let problem = try #require(explained, "\(target.prefix(40))")
            // A request that the server itself rejects has no id.
            let text = answer.text.replacing(/"id":"[0-9a-f]{32}",?/, with: "").replacing(",}", with: "}")
            #expect(text == problem.json(id: nil), "\(target.prefix(40))")
            #expect(answer.status == Int(problem.status))
        }
        #expect(rig.origin.requests == 0)
    }
}
