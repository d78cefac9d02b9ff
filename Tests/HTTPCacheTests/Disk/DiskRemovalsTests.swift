import CacheTestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskRemovalsTests {
    private let removals = DiskRemovals()
    private let key = CacheFixture.key(1)

    /// An original with a tag, a URL, and a time of validation.
    private var subject: PurgeSubject {
        var origin = CacheFixture.origin(1, body: [1], responseTime: 500)
        origin.key = key
        origin.tags = ["red", "round"]
        return PurgeSubject(origin)
    }

    /// Reads the row of a key's original, which may be missing.
    private func read(_ row: () -> Int?) -> Int? { removals.visible({ _ in subject }, expire: { $0 -= Int($1) }, row) }

    private static let matching: [PurgeSelection] = [
        .originals([CacheFixture.key(1)]), .source("photos"), .tags(["round"]), .confirmedBefore(501), .all,
        .prefixes([OriginPrefix(source: "photos", url: "https://photos.example.com/")]),
    ]

    @Test(arguments: matching)
    func `hides an entry until all its pending removals are done`(selection: PurgeSelection) {
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
    func `shows entries of a pending soft purge as stale from the earliest time on`(selection: PurgeSelection) {
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
    func `does not affect other entries`(selection: PurgeSelection) {
        #expect(removals.add(Purge(selection)) && removals.add(Purge(selection, staleFrom: 3)))
        #expect(read { 7 } == 7)
    }

    @Test func `the number of pending removals is bounded`() {
        var count = 0
        while count < 10_000, removals.add(Purge(.tags(["t\(count)"]))) { count += 1 }
        #expect((1..<10_000).contains(count))
        #expect(removals.add(Purge(.tags(["t0"]))))
        removals.finish(Purge(.tags(["t1"])))
        #expect(removals.add(Purge(.tags(["another"]))))
    }

    @Test func `a removal committed during a read makes it a miss`() {
        #expect(removals.add(Purge(.all)))
        var rows: [Int?] = [7, nil]
        let row = read {
            let row = rows.removeFirst()
            // The row was read before the commit; now no removal is pending.
            if row != nil { removals.finish(Purge(.all)) }
            return row
        }
        #expect(row == nil)
        #expect(rows.isEmpty)
    }

    @Test func `an entry that another removal spares is read again and found`() {
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

    @Test func `continuous removals make a read a miss instead of an endless loop`() {
        let row = read {
            _ = removals.add(Purge(.source("other")))
            removals.finish(Purge(.source("other")))
            return 7
        }
        #expect(row == nil)
    }
}
