import Glibc
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct JobStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> JobStore { try JobStore(folder: folder.path) }

    @Test func `jobs and the progress of their items survive reopening`() throws {
        do {
            let store = try store()
            let job = try store.add(["/a", "/b", "/c", "/d", "/e"], at: 100)
            #expect(job.id == 1 && job.total == 5 && job.state == .running)
            try store.set(.done, of: 0, in: job.id)
            try store.set(.skipped, of: 1, in: job.id)
            try store.set(.failed, of: 2, in: job.id, reason: "no")
            try store.set(.started, of: 3, in: job.id)
        }
        let store = try store()
        let job = try #require(try store.jobs().first)
        #expect([job.done, job.skipped, job.failed, job.finished, job.total] == [1, 1, 1, 3, 5])
        #expect(job.created == 100 && job.ended == nil)
        let open = try store.open(job.id, after: -1, limit: 10)
        #expect(open.map(\.text) == ["/d", "/e"])
        #expect(open.map(\.wasStarted) == [true, false])
        #expect(try store.open(job.id, after: 3, limit: 10).map(\.number) == [4])
        #expect(try store.open(job.id, after: -1, limit: 1).map(\.number) == [3])
        #expect(try store.failures(of: job.id, limit: 5).map(\.reason) == ["no"])
    }

    @Test func `an ended job keeps its counts and its first failed items only`() throws {
        let store = try store()
        var job = try store.add((0..<300).map { "/\($0)" }, at: 1)
        for number in 0..<300 { try store.set(number < 200 ? .failed : .done, of: number, in: job.id, reason: "r") }
        (job.state, job.ended, job.done, job.failed) = (.done, 9, 100, 200)
        try store.end(job)
        #expect(try self.store().jobs() == [job])
        #expect(try store.open(job.id, after: -1, limit: 1000).isEmpty)
        let failures = try store.failures(of: job.id, limit: 1000)
        #expect(failures.count == JobStore.keptFailures && failures.first?.text == "/0")
    }

    @Test func `numbers of removed jobs are not used again`() throws {
        let store = try store()
        let first = try store.add(["/a"], at: 1)
        try store.remove(first.id)
        #expect(try store.jobs().isEmpty)
        #expect(try store.add(["/b"], at: 2).id == first.id + 1)
    }

    @Test func `a damaged database is replaced`() throws {
        let path = folder.path + "/" + DiskFolder.jobs
        let file = try SystemFiles().open(path, flags: O_WRONLY | O_CREAT)
        try SystemFiles().write([UInt8](repeating: 7, count: 8192), to: file)
        #expect(try store().jobs().isEmpty)
    }

    @Test func `without a folder jobs live in memory`() throws {
        let store = try JobStore(folder: nil)
        #expect(try store.add(["/a"], at: 1).id == 1)
        #expect(try store.jobs().count == 1)
    }

    @Test func `only the owner can read the database, which a check of the folder knows`() throws {
        _ = try store().add(["/a"], at: 1)
        var status = stat()
        #expect(unsafe stat(folder.path + "/" + DiskFolder.jobs, &status) == 0)
        #expect(status.st_mode & 0o077 == 0)
        for name in TemporaryFolder.names(in: folder.path) { #expect(DiskFolder.isKnown(name), "\(name)") }
    }
}
