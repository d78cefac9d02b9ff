import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct DiskRemovalsTests {
    private let removals = DiskRemovals()
    private let key = CacheFixture.key(1)

    /// Reads a row of the key's original that is there, or not.
    private func read(_ row: () -> Int?) -> Int? { removals.visible(origin: { _ in (key, "photos") }, row) }

    @Test(arguments: [PurgeSelection.originals([CacheFixture.key(1)]), .source("photos"), .all])
    func `hides what waits to be removed, as often as it was asked for`(selection: PurgeSelection) {
        #expect(read { 7 } == 7)
        #expect(removals.add(selection) && removals.add(selection))
        #expect(read { 7 } == nil)
        removals.finish(selection)
        #expect(read { 7 } == nil)
        removals.finish(selection)
        #expect(read { 7 } == 7)
    }

    @Test func `a removal that is committed under a reader leaves it nothing`() {
        #expect(removals.add(.all))
        var rows: [Int?] = [7, nil]
        let row = read {
            let row = rows.removeFirst()
            // The row was read of the state before; now nothing waits any more.
            if row != nil { removals.finish(.all) }
            return row
        }
        #expect(row == nil)
        #expect(rows.isEmpty)
    }

    @Test func `what another removal leaves is read again and found`() {
        #expect(removals.add(.source("other")))
        var count = 0
        let row = read {
            count += 1
            if count == 1 { removals.finish(.source("other")) }
            return 7
        }
        #expect(row == 7)
        #expect(count == 2)
    }

    @Test func `removals without end are a miss, and not a reader without end`() {
        let row = read {
            _ = removals.add(.source("other"))
            removals.finish(.source("other"))
            return 7
        }
        #expect(row == nil)
    }
}
