import CacheTestSupport
import HTTPCache
import TestSupport
import Testing

/// Purges as entries of the log that nodes share.
@Suite(.timeLimit(.minutes(1)))
struct PurgeEntryTests {
    private static let pattern = PresetPattern(
        name: "thumb",
        steps: "&w=10&h=20&",
        settings: ["&q=80&", "&fit=cover&"]
    )
    private static let selections: [PurgeSelection] = [
        .originals([CacheFixture.key(1), CacheFixture.key(2)]), .originals([]), .source("photos"), .source(""),
        .prefixes([
            OriginPrefix(source: "photos", url: "https://a.test/ä/\"\\\u{7}%2F"), OriginPrefix(source: "b", url: ""),
        ]),
        .tags(["red", "grün", "a\"b"]), .confirmedBefore(900), .staleAt(1000), .staleAt(1060), .preset(pattern),
        .preset(PresetPattern(name: "plain", steps: "", settings: [])), .all, .within("shop", .all),
        .within("shop", .originals([CacheFixture.key(3)])), .within("shop", .preset(pattern)),
        .within("shop", .within("shop", .tags(["red"]))), .within("", .confirmedBefore(0)),
    ]

    @Test(arguments: selections, [nil, 1000, 990] as [Int64?])
    func `each purge survives the log`(selection: PurgeSelection, staleFrom: Int64?) throws {
        let purge = Purge(selection, staleFrom: staleFrom)
        let bytes = try PurgeEntry.encode(purge, now: 1000)
        let decoded = PurgeEntry.decode(bytes, now: 1000)
        #expect(decoded.problem == nil && decoded.purge == purge)
    }

    @Test func `times are ages, by each node's own clock`() throws {
        func shifted(_ purge: Purge) throws -> Purge {
            PurgeEntry.decode(try PurgeEntry.encode(purge, now: 1000), now: 4600).purge
        }
        #expect(try shifted(Purge(.confirmedBefore(900))) == Purge(.confirmedBefore(4500)))
        #expect(try shifted(Purge(.within("a", .staleAt(1000)))) == Purge(.within("a", .staleAt(4600))))
        #expect(try shifted(Purge(.all, staleFrom: 1000)) == Purge(.all, staleFrom: 4600))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", "{\"v\":1}", "{\"v\":1,\"select\":\"\"}",
        "{\"v\":2,\"select\":\"source\",\"name\":\"a\"}",
        "{\"v\":1,\"select\":\"galaxies\"}", "{\"v\":1,\"select\":\"source\"}", "{\"v\":1,\"select\":\"originals\"}",
        "{\"v\":1,\"select\":\"originals\",\"keys\":[\"AAAA\"]}", "{\"v\":1,\"select\":\"originals\",\"keys\":[\"?\"]}",
        "{\"v\":1,\"select\":\"prefixes\",\"prefixes\":[[\"a\"]]}", "{\"v\":1,\"select\":\"tags\",\"tags\":[1]}",
        "{\"v\":1,\"select\":\"stale-at\",\"age\":9223372036854775807}",
        "{\"v\":1,\"select\":\"stale-at\",\"age\":1e99}",
        "{\"v\":1,\"select\":\"source\",\"name\":\"a\",\"soft\":-9223372036854775808}",
        "{\"v\":1.5,\"select\":\"source\"}",
        "{\"v\":1,\"select\":\"preset\",\"name\":\"a\"}", "{\"v\":1,\"select\":\"source\",\"name\":\"a\"",
        "{\"v\":1,\"select\":\"source\",\"name\":\"a\",\"within\":[1]}",
        "{\"v\":1,\"select\":\"source\",\"name\":\"a\",\"within\":[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]}",
    ])
    func `an entry that cannot be read purges everything`(text: String) {
        let decoded = PurgeEntry.decode(Array(text.utf8), now: 1000)
        #expect(decoded.purge == Purge(.all) && decoded.problem != nil)
    }

    @Test func `members of later releases are ignored`() {
        let text = "{\"v\":1,\"select\":\"source\",\"name\":\"a\",\"reason\":{\"x\":[1,2]}}"
        let decoded = PurgeEntry.decode(Array(text.utf8), now: 1000)
        #expect(decoded.purge == Purge(.source("a")) && decoded.problem == nil)
    }

    @Test func `damaged entries neither crash nor purge too little`() throws {
        var random = SeededGenerator(seed: 18)
        for selection in Self.selections {
            let bytes = try PurgeEntry.encode(Purge(selection, staleFrom: 900), now: 1000)
            for _ in 0..<50 {
                var damaged = bytes
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0...damaged.count, using: &random)) }
                let decoded = PurgeEntry.decode(damaged, now: 1000)
                #expect(decoded.problem == nil || decoded.purge == Purge(.all))
            }
        }
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(PurgeEntry.decode(deep, now: 0).purge == Purge(.all))
    }

    @Test func `entries are bounded`() throws {
        let keys = (0..<30_000).map { CacheFixture.key($0) }
        #expect(throws: PurgeEntry.TooLarge.self) { try PurgeEntry.encode(Purge(.originals(keys)), now: 0) }
        let some = Purge(.originals(Array(keys.prefix(20_000))))
        let bytes = try PurgeEntry.encode(some, now: 0)
        #expect(bytes.count <= PurgeEntry.maximumBytes && PurgeEntry.decode(bytes, now: 0).purge == some)
        let long = [UInt8](repeating: 0x20, count: PurgeEntry.maximumBytes) + bytes
        #expect(PurgeEntry.decode(long, now: 0).purge == Purge(.all))
    }
}
