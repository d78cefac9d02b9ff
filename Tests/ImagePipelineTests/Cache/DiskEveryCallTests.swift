import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Fails each file system call once, and interrupts the store between any two calls.
@Suite(.timeLimit(.minutes(10)))
struct DiskEveryCallTests {
    @Test(arguments: [EIO, ENOSPC, EROFS])
    func `returns no wrong byte and recovers, whichever call fails`(code: CInt) throws {
        let calls = try run(failing: nil, with: code)
        for number in 1...calls { _ = try run(failing: number, with: code) }
        print("\(calls) calls failed one by one with \(Errno(code, "injected"))")
        #expect(calls > 60)
    }

    /// Runs a short scenario in which one call fails.
    ///
    /// - Returns: the number of calls.
    private func run(failing failure: Int?, with code: CInt) throws -> Int {
        let folder = try TemporaryFolder()
        let (files, time) = (ScriptedFiles(), ManualTime())
        files.setScript { number, _ throws(Errno) in
            if number == failure { throw Errno(code, "injected") }
        }
        let store = try DiskStore.forTest(folder.path, time: time, files: files) { $0.limits.minimumFree = 1 }
        let scenario = DiskScenario(originals: 2, variants: 1, versions: 2)
        try scenario.run(store) {
            let problems = try scenario.problems(store, scenario.expectation, isComplete: false)
            #expect(problems.isEmpty, "call \(failure ?? 0)")
            time.advance(seconds: 6)
        }
        let calls = files.calls
        files.setScript(nil)
        time.advance(seconds: 6)
        store.flush()
        // Entries that could not be removed are hidden or gone, and the store accepts new ones.
        let bytes = CacheFixture.bytes(10)
        let origin = CacheFixture.origin(77, body: bytes)
        store.store(variant: CacheFixture.variant(77, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        store.flush()
        #expect(store.health == .healthy, "call \(failure ?? 0)")
        #expect(store.variant(CacheKey(hashing: "variant 77")) != nil, "call \(failure ?? 0)")
        store.reconcile()
        store.flush()
        #expect(try scenario.problems(store, scenario.expectation, isComplete: false).isEmpty)
        #expect(store.position?.place.sequence == scenario.lastPlace, "call \(failure ?? 0)")
        store.close()
        #expect(try Self.damages(folder.path).isEmpty, "call \(failure ?? 0)")
        return calls
    }

    @Test func `loses nothing committed and serves nothing purged, wherever it is interrupted`() throws {
        let limit = Int(TestEnvironment.value("EDGEPRINT_CUTS") ?? "") ?? 60
        let scenario = DiskScenario(originals: 4, variants: 4, versions: 4)
        let folder = try TemporaryFolder()
        let copies = try TemporaryFolder()
        let cuts = Lock<[Cut]>([])
        let files = ScriptedFiles()
        let path = folder.path + "/cache"
        files.setScript { number, _ throws(Errno) in
            // The writer is blocked in this call, so the folder is as after a kill.
            let copy = "\(copies.path)/\(number)"
            guard (try? CacheFixture.copyTree(path, to: copy)) != nil else { return }
            cuts.withLock { $0.append(Cut(path: copy, number: number, expectation: scenario.expectation)) }
        }
        let store = try DiskStore.forTest(path, files: files)
        try scenario.run(store)
        files.setScript(nil)
        store.close()
        let all = cuts.withLock { $0 }
        let stride = max(1, all.count / limit)
        var checked = 0
        for (position, cut) in all.enumerated() where position % stride == 0 {
            try check(cut, scenario, tears: checked % 2 == 1)
            checked += 1
        }
        print("\(checked) cuts of \(all.count) moments, half of them with a torn log")
        #expect(checked >= min(limit, all.count))
    }

    private struct Cut: Sendable {
        var path: String
        var number: Int
        var expectation: DiskScenario.Expectation
    }

    /// Opens a copy of the folder at one moment.
    ///
    /// - Parameter tears: whether SQLite's log is cut as well, as a power failure may do: the last transactions may be lost then.
    private func check(_ cut: Cut, _ scenario: DiskScenario, tears: Bool) throws {
        if tears, let log = try? SystemFiles().open(cut.path + "/index.sqlite-wal", flags: O_RDWR) {
            let size = try SystemFiles().size(of: log)
            _ = ftruncate(log.number, off_t(size * (cut.number % 7) / 7))
        }
        let store = try DiskStore.forTest(cut.path)
        for _ in 0..<2 {
            let problems = try scenario.problems(store, cut.expectation, isComplete: !tears)
            #expect(problems.isEmpty, "cut \(cut.number), torn: \(tears): \(problems)")
            store.reconcile()
            store.flush()
        }
        #expect(store.health == .healthy)
        store.close()
        let damages = try Self.damages(cut.path)
        #expect(damages.isEmpty, "cut \(cut.number), torn: \(tears): \(damages)")
    }

    private static func damages(_ path: String) throws -> [String] {
        var found: [String] = []
        let listener = DiskCheck.Listener(found: { damage, _ in found.append("\(damage.kind) \(damage.path)") })
        _ = try DiskCheck(path: path, listener: listener).run(repairs: false)
        return found
    }
}
