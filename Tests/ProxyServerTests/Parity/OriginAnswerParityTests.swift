import TestSupport
import Testing

/// Compares a raw source and an image source with the same origin: both apply RFC 9111 in the same way.
///
/// Where the sources differ on purpose, the case names a `DeliberateDifference`.
@Suite(.timeLimit(.minutes(1)))
struct OriginAnswerParityTests {
    @Test func `both sources compute the same freshness`() async throws {
        try await run(AnswerCase.freshness)
    }
    @Test func `both sources store the same responses`() async throws { try await run(AnswerCase.storing) }
    @Test func `both sources treat stale responses alike`() async throws { try await run(AnswerCase.validating) }
    @Test func `both sources cache failures alike`() async throws { try await run(AnswerCase.failures) }

    @Test func `only an image source sends Age with a response that has just arrived`() throws {
        let rig = try TwoSourceRig()
        let step = AnswerCase.Step.asks(.picture("Cache-Control: max-age=60", "Date: \(AnswerCase.date(-30))"))
        let test = try #require(AnswerCase("", step).steps(from: rig.time.wallSeconds).first)
        #expect(try rig.ask("/raw/a.png", test)["Age"] == nil)
        #expect(try rig.ask("/picture/a.png", test)["Age"] == "30")
    }

    @Test func `both sources state the origin's status in Cache-Status`() throws {
        let rig = try TwoSourceRig()
        let step = AnswerCase.Step.asks(.picture("Cache-Control: max-age=60"))
        let raw = try rig.ask("/raw/a.png", step)["Cache-Status"]
        let picture = try rig.ask("/picture/a.png", step)["Cache-Status"]
        #expect(raw == picture && raw == "edgeprint; fwd=uri-miss")
    }

    @Test func `the page on the cache's decisions names each deliberate difference`() throws {
        let page = "Sources/ProxyServer/ProxyServer.docc/CacheDecisions.md"
        let rows = try MarkdownTable(in: page, below: "## Where raw and image sources differ").rows
        #expect(rows.map(\.first) == DeliberateDifference.allCases.map(\.rawValue))
        #expect(rows.map(\.last) == DeliberateDifference.allCases.map(\.reason))
    }

    private func run(_ cases: [AnswerCase]) async throws {
        let rig = try TwoSourceRig()
        for (number, test) in cases.enumerated() {
            for (index, step) in test.steps(from: rig.time.wallSeconds).enumerated() {
                rig.time.advance(seconds: step.after)
                let raw = try await rig.run(step, of: "case-\(number)", on: .raw)
                let picture = try await rig.run(step, of: "case-\(number)", on: .picture)
                compare(raw, picture, step: index + 1, of: test)
            }
        }
    }

    private func compare(_ raw: ToldAnswer, _ picture: ToldAnswer, step: Int, of test: AnswerCase) {
        for aspect in ToldAnswer.Aspect.allCases {
            let line: Comment = """
                \(test.name), step \(step): \(aspect.rawValue) is "\(raw[aspect])" of raw and "\(picture[aspect])" of picture \
                sources [raw: \(raw)] [picture: \(picture)]
                """
            switch test.differences[AnswerCase.Place(step: step, aspect: aspect)] {
            case nil:
                #expect(raw[aspect] == picture[aspect], line)
                if aspect == .asked { #expect(raw[.asked] == String(test.steps[step - 1].asked), line) }
            case .deliberate(let difference):
                #expect(raw[aspect] != picture[aspect], "no longer '\(difference.rawValue)': \(line)")
            }
        }
    }
}
