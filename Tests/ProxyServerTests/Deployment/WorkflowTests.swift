import Foundation
import TestSupport
import Testing
import Yams

/// The GitHub workflow runs what `.ci/run` runs.
@Suite(.timeLimit(.minutes(1)))
struct WorkflowTests {
    private let jobs: [String: [String: Any]]

    init() throws {
        let text = try String(contentsOfFile: Checkout.path(".github/workflows/ci.yml"), encoding: .utf8)
        let workflow = try #require(try Yams.load(yaml: text) as? [String: Any])
        jobs = try #require(workflow["jobs"] as? [String: [String: Any]])
    }

    private func commands(_ job: String) throws -> String {
        let steps = try #require(jobs[job]?["steps"] as? [[String: Any]])
        return steps.compactMap { $0["run"] as? String }.joined(separator: "\n")
    }

    @Test func `every command of the local run is a step`() throws {
        let script = try String(contentsOfFile: Checkout.path(".ci/run"), encoding: .utf8)
        let lines = script.split(separator: "\n").map { String($0).replacing(#/^beside \w+ /#, with: "") }
            .filter { $0.hasPrefix("make ") || $0.hasPrefix("scripts/") || $0.hasPrefix("lintian ") }
        #expect(lines.count > 8)
        let steps = try commands("check").split(separator: "\n").map(String.init)
        for line in lines where !line.contains("try-deb") {
            let step = ["make build", "make demo"].contains(line) ? "make build demo" : line
            #expect(steps.contains(step), "\(line)")
        }
    }

    @Test func `the package is tried on Debian 12 and 13`() throws {
        let matrix = (jobs["package"]?["strategy"] as? [String: Any])?["matrix"] as? [String: Any]
        #expect(matrix?["suite"] as? [String] == ["bookworm", "trixie"])
        #expect(try commands("package").contains("make try-deb SUITE=${{ matrix.suite }}"))
        for job in jobs.values {
            let image = (job["container"] as? [String: String])?["image"]
            #expect(image == "swift:6.3-bookworm")
        }
        let dockerfile = try String(contentsOfFile: Checkout.path("deploy/Dockerfile"), encoding: .utf8)
        #expect(dockerfile.contains("FROM swift:6.3-bookworm"))
    }
}
