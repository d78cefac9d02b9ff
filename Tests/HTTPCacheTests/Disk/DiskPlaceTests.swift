import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// The durable place in the log of purges.
@Suite(.timeLimit(.minutes(1)))
struct DiskPlaceTests {
    private let folder: TemporaryFolder
    private let path: String
    private let time = ManualTime()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
    }

    private func open(files: any FileSystem = SystemFiles()) throws -> DiskStore {
        try DiskStore.forTest(path, time: time, files: files)
    }

    private func place(_ sequence: Int64) -> PurgePlace { PurgePlace(sequence: sequence, mark: "m\(sequence)") }

    private func origin(_ number: Int, _ stamp: PurgeStamp = PurgeStamp()) -> OriginRecord {
        var origin = CacheFixture.origin(number, body: [1, 2])
        origin.tags = ["red"]
        origin.stamp = stamp
        return origin
    }

    private func put(_ number: Int, _ stamp: PurgeStamp = PurgeStamp(), into store: DiskStore) throws {
        store.store(origin: origin(number, stamp), body: try CacheFixture.body([1, 2]))
    }

    private func purge(
        _ selection: PurgeSelection,
        at sequence: Int64?,
        in store: DiskStore,
        completion: (@Sendable (PurgeCounts) -> Void)? = nil
    ) {
        let purge = Purge(selection)
        #expect(store.tombstone(purge))
        #expect(store.remove(purge, at: sequence.map(place), completion: completion))
    }

    /// Blocks the writer until `body` has queued its writes, so that they form one batch.
    private func together(_ store: DiskStore, _ body: () throws -> Void) rethrows {
        let gate = Monitor((isEntered: false, isOpen: false))
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        defer { gate.update(wakingAll: true) { $0.isOpen = true } }
        try body()
    }

    @Test func `a place is durable with its removal`() throws {
        var store = try open()
        #expect(store.position == nil)
        store.setPosition(PurgePosition(place: place(4), era: 77))
        try put(1, into: store)
        purge(.originals([origin(1).key]), at: 5, in: store)
        store.flush()
        #expect(store.position == PurgePosition(place: place(5), era: 77))
        store.close()
        store = try open()
        #expect(store.position == PurgePosition(place: place(5), era: 77) && store.origin(origin(1).key) == nil)
        // A purge that is in no log does not change it.
        purge(.all, at: nil, in: store)
        store.flush()
        #expect(store.position?.place == place(5))
        store.close()
    }

    @Test func `a purge that finishes first waits for earlier ones`() throws {
        let store = try open()
        for number in 0..<600 { try put(number, into: store) }
        store.flush()
        let seen = Lock<[Int64?]>([])
        together(store) {
            purge(.tags(["red"]), at: 1, in: store) { _ in seen.withLock { $0.append(store.position?.place.sequence) } }
            purge(.originals([origin(599).key]), at: 2, in: store) { _ in
                seen.withLock { $0.append(store.position?.place.sequence) }
            }
        }
        store.flush()
        #expect(seen.withLock { $0 } == [nil, 2])
        #expect(store.position?.place == place(2) && store.count(.all).originals == 0)
        store.close()
    }

    @Test func `applying a purge again keeps what was requested after it`() throws {
        let store = try open()
        store.setPosition(PurgePosition(place: place(4), era: 77))
        try put(1, PurgeStamp(sequence: 4, era: 77), into: store)
        try put(2, PurgeStamp(sequence: 5, era: 77), into: store)
        try put(3, PurgeStamp(sequence: 6, era: 77), into: store)
        // The numbers of another era belong to another log.
        try put(4, PurgeStamp(sequence: 9, era: 76), into: store)
        try put(5, into: store)
        store.flush()
        #expect(store.origin(origin(3).key)?.record.stamp == PurgeStamp(sequence: 6, era: 77))
        purge(.tags(["red"]), at: 5, in: store)
        store.flush()
        #expect((1...5).filter { store.origin(origin($0).key) != nil } == [2, 3])
        purge(.tags(["red"]), at: nil, in: store)
        store.flush()
        #expect(store.count(.all).originals == 0)
        store.close()
    }

    @Test func `a new position supersedes purges in progress`() throws {
        let store = try open()
        for number in 0..<600 { try put(number, into: store) }
        store.flush()
        together(store) {
            purge(.tags(["red"]), at: 3, in: store)
            store.setPosition(PurgePosition(place: place(2), era: 9))
            purge(.originals([origin(700).key]), at: 3, in: store)
        }
        store.flush()
        #expect(store.position == PurgePosition(place: place(3), era: 9) && store.count(.all).originals == 0)
        store.close()
    }

    @Test func `the place does not advance while the disk is degraded`() throws {
        let files = FaultyFiles()
        let store = try open(files: files)
        try put(1, into: store)
        purge(.originals([origin(9).key]), at: 1, in: store)
        store.flush()
        files.fail(.write, with: EIO)
        // Other bytes, which must be written.
        let bytes = CacheFixture.bytes(50)
        store.store(origin: CacheFixture.origin(2, body: bytes), body: try CacheFixture.body(bytes))
        store.flush()
        #expect(store.health != .healthy)
        for sequence in 2...4 {
            purge(.originals([origin(1).key]), at: Int64(sequence), in: store)
        }
        purge(.tags(["red"]), at: 5, in: store)
        store.flush()
        #expect(store.position?.place == place(1) && store.origin(origin(1).key) == nil)
        files.fail(.write, with: nil)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.health == .healthy && store.position?.place == place(5))
        #expect(store.count(.all).originals == 0)
        purge(.all, at: 6, in: store)
        store.flush()
        #expect(store.position?.place == place(6))
        store.close()
    }

    @Test func `a position that was set while the disk was degraded is written later`() throws {
        let files = FaultyFiles()
        files.fail(.makeFolder, with: EACCES)
        let store = try open(files: files)
        #expect(store.position == nil)
        store.setPosition(PurgePosition(place: place(8), era: 3))
        store.flush()
        files.fail(.makeFolder, with: nil)
        time.advance(seconds: 6)
        store.flush()
        store.close()
        let again = try open()
        #expect(again.position == PurgePosition(place: place(8), era: 3))
        again.close()
    }

    @Test func `tens of thousands of purges in progress take bounded memory, and lose no place`() {
        let places = DiskPlaces()
        places.set(PurgePosition(place: place(0), era: 1))
        let tickets = (1...70_000).map { places.begin(place(Int64($0))) }
        for ticket in tickets.dropFirst().reversed() { places.finish(ticket) }
        places.commit()
        #expect(places.current?.place == place(0))
        places.finish(tickets[0])
        #expect(places.unsaved?.place == place(70_000))
        places.abandon()
        #expect(places.unsaved == nil)
        places.finish(tickets[0])
        places.commit()
        #expect(places.current?.place == place(70_000) && places.unsaved == nil)
    }

    @Test func `migrates an index of layout 14`() throws {
        var store = try open()
        try put(1, PurgeStamp(sequence: 5, era: 77), into: store)
        store.flush()
        store.close()
        do {
            var index = try SQLiteConnection(path: DiskFolder(path: path).index, access: .readWrite)
            try index.execute(CacheFixture.undoPlaces)
            #expect(try index.schemaVersion() == 14)
        }
        store = try open()
        #expect(store.position == nil && store.origin(origin(1).key)?.record.length == 2)
        store.setPosition(PurgePosition(place: place(4), era: 77))
        purge(.all, at: 5, in: store)
        store.flush()
        #expect(store.position?.place == place(5) && store.count(.all).originals == 0)
        store.close()
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }
}
