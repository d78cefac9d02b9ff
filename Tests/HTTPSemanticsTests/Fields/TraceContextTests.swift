import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TraceContextTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let sound = "00-\(id)-00f067aa0ba902b7-01"

    private func read(_ text: String) -> TraceContext? { TraceContext(text.utf8Span.span) }

    @Test func `parses a caller's context, and forwards it with its own parent`() throws {
        let context = try #require(read(Self.sound))
        #expect(context.id == Self.id && context.isFromCaller)
        #expect(context.traceparent(parent: 0xF) == "00-\(Self.id)-000000000000000f-01")
        #expect(context.traceparent(parent: 0) == "00-\(Self.id)-0000000000000001-01")
        let quiet = try #require(read(Self.sound.dropLast(2) + "fe"))
        #expect(quiet.traceparent(parent: 1).hasSuffix("-00"))
    }

    @Test func `parses the known part of later versions`() {
        #expect(read("cc-" + Self.sound.dropFirst(3))?.id == Self.id)
        #expect(read("cc-" + Self.sound.dropFirst(3) + "-what-ever")?.id == Self.id)
        #expect(read("cc-" + Self.sound.dropFirst(3) + "x") == nil)
        #expect(read("ff-" + Self.sound.dropFirst(3)) == nil)
        #expect(read(Self.sound + "-x") == nil)
    }

    @Test(arguments: [
        "", "00", sound.uppercased(), " " + sound, sound + " ", String(sound.dropLast()),
        sound.replacing("-", with: "_"),
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-\(id)-0000000000000000-01",
        "00-\(id)-00f067aa0ba902b7-0g",
        "0-" + sound.dropFirst(2), "00-\(id)é-0f067aa0ba902b7-01",
    ])
    func `rejects everything else`(text: String) { #expect(read(text) == nil) }

    @Test func `a decision replaces the caller's flag, and keeps its other parts`() throws {
        var context = try #require(read(Self.sound))
        #expect(!context.isRecorded && context.parent == 0x00f0_67aa_0ba9_02b7)
        context.decide(span: 0xAB)
        #expect(context.isRecorded && context.id == Self.id && context.flags == 1)
        context.decide(span: 0)
        #expect(!context.isRecorded && context.traceparent(parent: 1).hasSuffix("-00"))
        #expect(TraceContext.text(ofSpan: 0xAB) == "00000000000000ab")
    }

    @Test func `is never all zeros`() {
        #expect(TraceContext(high: 0, low: 0).id == String(repeating: "0", count: 31) + "1")
    }
}
