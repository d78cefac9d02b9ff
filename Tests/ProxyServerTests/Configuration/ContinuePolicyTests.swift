import HTTPCache
import ImagePipeline
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// The values of `continue`, and the limits and modes beside it.
@Suite(.timeLimit(.minutes(1)))
struct ContinuePolicyTests {
    private func yaml(_ text: String) -> String { "sources: { a: { url: \"https://x/\", continue: \(text) } }" }

    @Test(arguments: [
        ("always", ContinuePolicy.always), ("never", .never), ("{ past: 75% }", .pastPercent(75)),
        ("{ past: 256KiB }", .standard), ("{ past: 0 }", .pastBytes(0)), ("{ past: 100% }", .pastPercent(100)),
    ])
    func `reads words, percentages and sizes, and prints them`(text: String, policy: ContinuePolicy) throws {
        let source = try #require(try load(yaml(text)).source(named: "a"))
        #expect(source.rule.continues == policy)
        let draft = SourceSchema.Draft(rule: source.rule, location: source.rule.location)
        let setting = try #require(SourceSchema.table.settings.first { $0.name == "continue" })
        let printed = try #require(setting.write(draft).map(JSONValue.init))
        let expected: JSONValue =
            text.hasPrefix("{")
            ? .object([.init("past", .string(String(text.dropFirst(8).dropLast(2))))]) : .string(text)
        if policy != .pastBytes(0) { #expect(printed == expected) }
    }

    @Test func `downloads continue from 256 KiB on by default`() throws {
        #expect(try load("sources: { a: { url: \"https://x/\" } }").sources[0].rule.continues == .pastBytes(262_144))
    }

    @Test(arguments: [
        (
            "sometimes",
            "sources.a.continue: expected always, never, { past: 75% } or { past: 256KiB }, found 'sometimes'"
        ),
        ("{ past: 101% }", "sources.a.continue.past: expected a percentage such as 75%, or a size such as 256KiB"),
        ("{ after: 75% }", "sources.a.continue: expected always, never"), ("[always]", "sources.a.continue: expected"),
    ])
    func `reports other values`(text: String, start: String) {
        let found = problems(yaml(text))
        #expect(found.count == 1 && found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
    }

    @Test func `continue does not apply to folders`() {
        let found = problems("sources: { a: { url: \"file:///srv/\", continue: never } }")
        #expect(
            found.count == 1 && found[0].contains("sources.a.continue: does not apply to a file:// source"),
            "\(found)"
        )
    }

    @Test func `remote.active must be within transfers.active`() throws {
        #expect(try load("remote: { active: 9 }").transfers.foreign == 9)
        let found = problems("remote: { active: 300 }")
        #expect(found.count == 1 && found[0].contains("remote.active: is more than transfers.active"), "\(found)")
    }
}
