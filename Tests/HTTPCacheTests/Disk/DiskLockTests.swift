import CacheTestSupport
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// The lock of a store's folder, whose files an operator may delete.
@Suite(.timeLimit(.minutes(1)))
struct DiskLockTests {
    private let folder: TemporaryFolder
    private let layout: DiskFolder
    private let time = ManualTime()
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(100))

    init() throws {
        folder = try TemporaryFolder()
        layout = DiskFolder(path: folder.path + "/cache")
    }

    private func open() throws -> DiskStore { try DiskStore.forTest(layout.path, time: time) }

    private func put(_ number: Int, into store: DiskStore) {
        let bytes = CacheFixture.bytes(100, seed: number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        store.flush()
    }

    private func check() throws(DiskCheckError) -> DiskCheckResult {
        try DiskCheck(path: layout.path, listener: DiskCheck.Listener(found: { _, _ in })).run(repairs: false)
    }

    @Test(arguments: ["lock", "CACHEDIR.TAG"])
    func `a folder stays in use when one of its locked files is deleted, and that is locked again`(
        name: String
    ) throws {
        let store = try open()
        put(1, into: store)
        TemporaryFolder.delete("\(layout.path)/\(name)")
        #expect(throws: DiskCheckError.locked(path: layout.path)) { try check() }
        #expect(throws: DiskStoreError.locked(path: layout.path)) { try open() }
        time.advance(seconds: 2)
        // The first one finds the missing file, the second one opens the folder again.
        put(2, into: store)
        put(3, into: store)
        #expect(store.health == .healthy)
        for number in 1...3 { #expect(store.variant(CacheKey(hashing: "variant \(number)")) != nil, "\(number)") }
        #expect(TemporaryFolder.names(in: layout.path).contains(name))
        let other = name == "lock" ? layout.tag : layout.lock
        TemporaryFolder.delete(other)
        #expect(throws: DiskStoreError.locked(path: layout.path)) { try open() }
        store.close()
        try open().close()
    }

    @Test func `a store gives up its folder when another process has locked it meanwhile`() throws {
        let first = try open()
        put(1, into: first)
        for path in [layout.lock, layout.tag] { TemporaryFolder.delete(path) }
        let second = try open()
        time.advance(seconds: 2)
        for number in 2...3 { put(number, into: first) }
        let reason = DiskStoreError.locked(path: layout.path).description
        #expect(first.health == .degraded(reason))
        put(4, into: second)
        #expect(second.variant(CacheKey(hashing: "variant 4")) != nil && second.health == .healthy)
        second.close()
        time.advance(seconds: 6)
        put(5, into: first)
        #expect(first.health == .healthy && first.variant(CacheKey(hashing: "variant 4")) != nil)
        first.close()
    }

    @Test func `a check reports a folder in the place of the lock`() throws {
        try open().close()
        TemporaryFolder.delete(layout.lock)
        try SystemFiles().makeFolder(layout.lock)
        for repairs in [false, true] {
            let error = #expect(throws: DiskCheckError.self) {
                try DiskCheck(path: layout.path, listener: DiskCheck.Listener(found: { _, _ in })).run(repairs: repairs)
            }
            #expect(error?.description.hasPrefix(layout.lock + ": a folder is in the place of the lock") == true)
        }
    }
}
