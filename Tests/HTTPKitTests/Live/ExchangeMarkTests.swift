import LinuxSystem
import TestSupport
import Testing

@testable import HTTPKit

@Suite(.timeLimit(.minutes(1))) struct ExchangeMarkTests {
    private final class Note: ExchangeNote {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private static func response(_ text: String) -> Response {
        var response = Response(status: 200, body: .bytes(Array(text.utf8)), tag: UInt64(text.utf8.count))
        response.amount = -Int64(text.utf8.count)
        response.note = text == "/none" ? nil : Note(text)
        return response
    }

    @Test func `passes tag, amount and note of each response back to the handler`() throws {
        let server = try TestServer(respond: { request, context in
            guard request.target == "/late" else { return .now(Self.response(request.target)) }
            context.promise().complete(Self.response(request.target))
            return .later
        })
        let client = try server.client()
        for target in ["/a", "/none", "/late"] { #expect(try client.get(target).text == target) }
        #expect(eventually { server.handler.finished.count == 3 })
        let summaries = server.handler.finished.map(\.summary)
        #expect(summaries.map(\.tag) == [2, 5, 5] && summaries.map(\.amount) == [-2, -5, -5])
        #expect(summaries.map { ($0.note as? Note)?.text } == ["/a", nil, "/late"])
    }

    @Test func `counts how long a loop is busy`() throws {
        let time = ManualTime()
        let server = try TestServer({ $0.time = time }) { request, _ in
            if request.target == "/slow" { time.advance(seconds: 2) }
            return .now(Self.response(request.target))
        }
        let client = try server.client()
        for target in ["/a", "/slow", "/b"] { #expect(try client.get(target).text == target) }
        // The turn of the last request may not have ended.
        #expect(eventually { (server.server.statistics.turns.cumulative.last ?? 0) >= 3 })
        let turns = server.server.statistics.turns
        let slow = turns.cumulative.suffix(2)
        #expect(slow.last.map { last in slow.first.map { last - $0 } == 1 } == true)
        #expect(turns.sum >= 2_000_000 && turns.sum < 4_000_000)
    }
}
