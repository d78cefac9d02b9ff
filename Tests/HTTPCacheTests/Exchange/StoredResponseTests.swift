import HTTPSemantics
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct StoredResponseTests {
    private func response(_ fields: FieldLines = FieldLines(), vary: String? = nil, body: Int = 0) -> StoredResponse {
        StoredResponse(
            status: 200,
            fields: fields,
            content: .bytes([UInt8](repeating: 0, count: body)),
            freshness: Freshness(responseTime: 0, initialAge: 0, lifetime: 60),
            vary: VaryKey(vary: vary, request: FieldLines())
        )
    }

    @Test func `costs what its content, lines and key take in memory, not what they are on the wire`() {
        let bare = response().cost
        #expect(response(body: 1_000).cost == bare + 1_000)
        #expect(response(vary: "Accept, Accept-Language").cost >= bare + 2 * MemoryLayout<String>.stride)

        let lines = FieldLines([FieldLine]((0..<1_000).compactMap { _ in FieldLine("A", "b") }))
        #expect(lines.lines.count == 1_000)
        // A line, and the header of its value's array.
        let least = 1_000 * (MemoryLayout<FieldLine>.stride + 32)
        #expect((bare + least...bare + 2 * least).contains(response(lines).cost))

        var long = FieldLines()
        long.append("X-Name", String(repeating: "a", count: 10_000))
        #expect((bare + 10_000..<bare + 11_000).contains(response(long).cost))
    }
}
