import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Large purges, which run in steps with other writes in between.
@Suite(.timeLimit(.minutes(1)))
struct DiskSweepTests {
    private static let count = 600
    private let folder: TemporaryFolder
    private let path: String
    private let store: DiskStore
    private let thumb = PresetPattern(name: "thumb", steps: "", settings: [])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
        store = try DiskStore.forTest(path)
        for number in 0..<Self.count {
            put(number)
            if number.isMultiple(of: 300) { store.flush() }
        }
        store.flush()
        #expect(store.count(.all).variants == Self.count)
    }

    private func origin(_ number: Int, responseTime: Int64 = 1000, tags: [String] = ["red"]) -> OriginRecord {
        var origin = CacheFixture.origin(number, body: [1, 2], responseTime: responseTime)
        origin.tags = tags
        return origin
    }

    private func variant(_ number: Int, _ origin: OriginRecord, _ bytes: [UInt8]) -> VariantRecord {
        var variant = CacheFixture.variant(number, of: origin, bytes: bytes)
        variant.presets = ["thumb"]
        return variant
    }

    private func put(_ number: Int, of origin: OriginRecord? = nil, bytes: [UInt8] = [7]) {
        let origin = origin ?? self.origin(number)
        store.store(variant: variant(number, origin, bytes), origin: origin, bytes: bytes)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "variant \(number)") }

    /// Blocks the writer until `body` has queued its writes, so that they form one batch.
    private func together(_ body: () throws -> Void) rethrows {
        let gate = Monitor((isEntered: false, isOpen: false))
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        try body()
        gate.update(wakingAll: true) { $0.isOpen = true }
    }

    @Test(arguments: [
        PurgeSelection.all, .tags(["red"]), .source("photos"), .confirmedBefore(1500),
        .preset(PresetPattern(name: "thumb", steps: "", settings: [])),
    ])
    func `a purge in progress removes all earlier entries and keeps later ones`(
        selection: PurgeSelection
    ) throws {
        let done = Signal<PurgeCounts?>(nil)
        let order = Lock<[String]>([])
        #expect(store.tombstone(Purge(selection)))
        together {
            #expect(
                store.remove(Purge(selection)) { counts in
                    order.withLock { $0.append("purged") }
                    done.update { $0 = counts }
                }
            )
            // An original that the purge has not reached yet is validated and gets another size; another one is new.
            let late = origin(Self.count - 1, responseTime: 2000)
            store.store(variant: variant(9_001, late, [8]), origin: late, bytes: [8])
            put(9_002, of: origin(9_002, responseTime: 2000), bytes: [9])
            store.store(origin: origin(Self.count - 2, responseTime: 2000, tags: ["blue"]), body: nil)
            // A purge by URL does not wait for the large one.
            let one = Purge(.originals([origin(Self.count - 3).key]))
            #expect(store.tombstone(one))
            #expect(store.remove(one) { _ in order.withLock { $0.append("one") } })
        }
        let counts = try #require(try done.wait { $0 != nil })
        store.flush()
        #expect(order.withLock { $0 } == ["one", "purged"])
        #expect((0..<Self.count).count { store.variant(key($0)) != nil } == 0)
        for number in [9_001, 9_002] { #expect(store.variant(key(number)) != nil) }
        #expect(store.count(.all).variants == 2)
        #expect(CacheFixture.files(.variants, in: path).count == 2)
        // The writer may have processed two of them in another order.
        #expect((Self.count - 3...Self.count).contains(counts.variants))
        store.close()
        var damages: [DiskDamage] = []
        _ = try DiskCheck(path: path, listener: .init(found: { damage, _ in damages.append(damage) })).run(
            repairs: false
        )
        #expect(damages.isEmpty, "\(damages)")
    }

    @Test func `a soft purge in steps marks everything, and counts it once`() throws {
        let purge = Purge(.tags(["red", "other"]), staleFrom: 1010)
        let done = Signal<PurgeCounts?>(nil)
        #expect(store.tombstone(purge))
        #expect(store.remove(purge) { counts in done.update { $0 = counts } })
        #expect(try done.wait { $0 != nil }?.variants == Self.count)
        for number in 0..<Self.count {
            #expect(store.variant(key(number))?.origin.freshness.staleAt == 1010)
        }
        store.close()
    }

    @Test func `closing a store completes a purge in progress`() throws {
        let done = Signal<PurgeCounts?>(nil)
        #expect(store.tombstone(Purge(.all)))
        #expect(store.remove(Purge(.all)) { counts in done.update { $0 = counts } })
        store.close()
        #expect(try done.wait { $0 != nil }?.variants == Self.count)
        let again = try DiskStore.forTest(path)
        #expect(again.count(.all).variants == 0)
        again.close()
    }
}
