import CacheTestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskRemovalsTests {
    private let removals = DiskRemovals()
    private let key = CacheFixture.key(1)

    /// An original that has been marked, at a place, and by now confirmed.
    private var subject: PurgeSubject {
        var origin = CacheFixture.origin(1, body: [1], responseTime: 500)
        origin.key = key
        origin.tags = ["red", "round"]
        return PurgeSubject(origin)
    }

    /// Reads a row of the key's original that is there, or not.
    private func read(_ row: () -> Int?) -> Int? { removals.visible({ _ in subject }, expire: { $0 -= Int($1) }, row) }

    private static let matching: [PurgeSelection] = [
        .originals([CacheFixture.key(1)]), .source("photos"), .tags(["round"]), .confirmedBefore(501), .all,
        .prefixes([OriginPrefix(source: "photos", url: "https://photos.example.com/")]),
    ]

    @Test(arguments: matching)
    func `hides what waits to be removed, as often as it was asked for`(selection: PurgeSelection) {
        let purge = Purge(selection)
        #expect(read { 7 } == 7)
        #expect(removals.add(purge) && removals.add(purge))
        #expect(read { 7 } == nil)
        removals.finish(purge)
        #expect(read { 7 } == nil)
        removals.finish(purge)
        #expect(read { 7 } == 7)
    }

    @Test(arguments: matching)
    func `shows what waits to be stale as stale from the earliest time on`(selection: PurgeSelection) {
        #expect(removals.add(Purge(selection, staleFrom: 3)) && removals.add(Purge(selection, staleFrom: 2)))
        #expect(read { 7 } == 5)
        removals.finish(Purge(selection, staleFrom: 2))
        #expect(read { 7 } == 4)
        #expect(removals.add(Purge(selection)))
        #expect(read { 7 } == nil)
    }

    @Test(arguments: [
        PurgeSelection.originals([CacheFixture.key(2)]), .source("other"), .tags(["blue"]), .confirmedBefore(500),
        .prefixes([OriginPrefix(source: "other", url: "https://photos.example.com/")]),
        .prefixes([OriginPrefix(source: "photos", url: "https://photos.example.com/2")]),
        .preset(PresetPattern(name: "thumb", steps: "", settings: [])),
    ])
    func `leaves everything else alone`(selection: PurgeSelection) {
        #expect(removals.add(Purge(selection)) && removals.add(Purge(selection, staleFrom: 3)))
        #expect(read { 7 } == 7)
    }

    @Test func `no more than a bounded number waits`() {
        var count = 0
        while count < 10_000, removals.add(Purge(.tags(["t\(count)"]))) { count += 1 }
        #expect((1..<10_000).contains(count))
        #expect(removals.add(Purge(.tags(["t0"]))))
        removals.finish(Purge(.tags(["t1"])))
        #expect(removals.add(Purge(.tags(["another"]))))
    }

    @Test func `a removal that is committed under a reader leaves it nothing`() {
        #expect(removals.add(Purge(.all)))
        var rows: [Int?] = [7, nil]
        let row = read {
            let row = rows.removeFirst()
            // The row was read of the state before; now nothing waits any more.
            if row != nil { removals.finish(Purge(.all)) }
            return row
        }
        #expect(row == nil)
        #expect(rows.isEmpty)
    }

    @Test func `what another removal leaves is read again and found`() {
        #expect(removals.add(Purge(.source("other"))))
        var count = 0
        let row = read {
            count += 1
            if count == 1 { removals.finish(Purge(.source("other"))) }
            return 7
        }
        #expect(row == 7)
        #expect(count == 2)
    }

    @Test func `removals without end are a miss, and not a reader without end`() {
        let row = read {
            _ = removals.add(Purge(.source("other")))
            removals.finish(Purge(.source("other")))
            return 7
        }
        #expect(row == nil)
    }
}
