import HTTPSemantics
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct VaryKeyTests {
    private static let names = (0...VaryKey.maximumNames).map { "x-\($0)" }

    private func key(_ names: some Sequence<String>, _ request: FieldLines = FieldLines()) -> VaryKey {
        VaryKey(vary: names.joined(separator: ","), request: request)
    }

    @Test func `too many names match no request`() {
        let most = key(Self.names.dropLast())
        #expect(!most.isAny && most.values.count == VaryKey.maximumNames && most.matches(FieldLines()))
        let key = key(Self.names)
        #expect(key.isAny && !key.matches(FieldLines()))
        // One that was stored before there was a limit.
        let restored = VaryKey(values: Dictionary(uniqueKeysWithValues: Self.names.map { ($0, nil) }))
        #expect(restored.isAny && !restored.matches(FieldLines()))
    }

    @Test func `costs more than its names and values`() {
        #expect(key([]).cost == 0)
        let empty = key(["x-0"])
        #expect(empty.cost > MemoryLayout<String>.stride * 4)
        var request = FieldLines()
        request.append("X-0", String(repeating: "a", count: 1_000))
        #expect(key(["x-0"], request).cost == empty.cost + 1_000)
        #expect(key(Self.names).cost < key(Self.names.dropLast()).cost)
    }
}
