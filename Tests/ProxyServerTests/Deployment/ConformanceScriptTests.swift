import TestSupport
import Testing

/// `scripts/try-conformance`, as far as it goes without a checkout of the public suite.
@Suite(.timeLimit(.minutes(1)))
struct ConformanceScriptTests {
    private let script = Checkout.path("scripts/try-conformance")

    @Test func `without a checkout it prints its usage, and exits 2`() throws {
        let run = try CommandRun(program: script, [])
        #expect(run.code == 2)
        #expect(run.output.isEmpty && run.errors.hasPrefix("usage: "))
    }

    @Test func `an unknown kind of source is a usage error`() throws {
        let run = try CommandRun(program: script, ["--source", "file", "/"])
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("usage: "))
    }

    @Test(arguments: [[], ["--source", "raw"], ["--source", "picture"]])
    func `a folder that is not a checkout is an error, not a reason to skip`(options: [String]) throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(program: script, options + [folder.path])
        #expect(run.code == 1)
        #expect(run.errors.contains("test-engine/cli.mjs"))
    }
}
