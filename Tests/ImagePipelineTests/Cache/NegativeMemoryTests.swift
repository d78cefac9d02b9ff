import CLinux
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// The memory of cached failures is bounded, and counted without being too low.
@Suite(.timeLimit(.minutes(1)))
struct NegativeMemoryTests {
    private let time = ManualTime(wallSeconds: 1000)

    private func record(_ number: Int, in cache: NegativeCache<PipelineError>, padding: String = "") {
        let url = "http://origin.test/photographs/2026/missing-\(number)\(padding).jpg"
        let key = CacheKey(hashing: url)
        cache.record(
            key,
            .originStatus(404),
            about: PurgeSubject(origin: key, source: "photos", url: url),
            url: url
        )
    }

    /// The bytes of this process's writable memory (proc_pid_statm(5), field 6).
    private static var dataBytes: Int {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        let descriptor = SharedDescriptor(owning: file)
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = max(0, unsafe Glibc.read(descriptor.number, &bytes, bytes.count))
        let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return (fields.count > 5 ? Int(fields[5]) ?? 0 : 0) * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    @Test func `100,000 failures take less than a kilobyte each, and no more than is counted`() {
        let cache = NegativeCache<PipelineError>(policy: FailurePolicy(entries: 100_000), time: time)
        // Memory that earlier tests have freed must not serve this one.
        edge_malloc_trim()
        let before = Self.dataBytes
        for number in 0..<100_000 { record(number, in: cache) }
        let grown = Self.dataBytes - before
        #expect(cache.statistics.entries == 100_000)
        #expect(grown < 100_000 * 1_000, "\(grown / 100_000) bytes each")
        #expect(grown < cache.bytes, "\(grown / 100_000) bytes each, counted \(cache.bytes / 100_000)")
    }

    @Test func `counts the URLs of auxiliary images and the class of the work`() {
        let cache = NegativeCache<PipelineError>(policy: FailurePolicy(), time: time)
        let key = CacheKey(hashing: "a")
        var subject = PurgeSubject(origin: key, source: "photos", url: "http://origin.test/a")
        cache.record(key, .broken("bad"), about: subject, url: subject.url)
        let alone = cache.bytes
        cache.remove(.all)
        let long = "http://origin.test/" + String(repeating: "m", count: 2_000)
        subject.auxiliaries = [PurgeSubject(origin: CacheKey(hashing: "b"), source: "marks", url: long)]
        cache.record(key, .broken("bad"), about: subject, url: subject.url)
        #expect(cache.bytes >= alone + 2_000)
        cache.remove(.all)
        let part = String(repeating: "p", count: 3_000)
        let work = WorkClass(kind: "jpeg", parts: [part], levels: [1, 2], description: "")
        cache.record(key, .broken("bad"), about: subject, url: subject.url, work: work)
        #expect(cache.bytes >= alone + 5_000)
    }

    @Test func `evicts the oldest failures above the bytes, and counts what is left`() {
        var policy = FailurePolicy(entries: 100_000)
        policy.bytes = 100 << 10
        let cache = NegativeCache<PipelineError>(policy: policy, time: time)
        for number in 0..<1_000 { record(number, in: cache) }
        let entries = cache.statistics.entries
        #expect(entries > 50 && entries < 160 && cache.bytes <= 100 << 10)
        let kept = cache.list(limit: 1_000).compactMap {
            $0.url.firstMatch(of: /missing-([0-9]+)/).flatMap { Int($0.1) }
        }
        #expect(kept.sorted() == Array(1_000 - entries..<1_000))
        // Long URLs leave room for fewer.
        let padding = String(repeating: "x", count: 2_000)
        for number in 1_000..<1_100 { record(number, in: cache, padding: padding) }
        #expect(cache.statistics.entries < 50 && cache.bytes <= 100 << 10)
        policy.bytes = 10 << 10
        cache.setPolicy(policy)
        #expect(cache.bytes <= 10 << 10 && cache.statistics.entries > 0)
        cache.remove(.all)
        #expect(cache.bytes == 0 && cache.statistics.entries == 0)
    }

    @Test func `a purge of an original removes its own failure and those of its variants`() {
        let cache = NegativeCache<PipelineError>(policy: FailurePolicy(), time: time)
        let origin = CacheKey(hashing: "a")
        let subject = PurgeSubject(origin: origin, source: "photos", url: "http://origin.test/a")
        cache.record(origin, .originStatus(404), about: subject, url: subject.url)
        cache.record(CacheKey(hashing: "a/1"), .broken("bad"), about: subject, url: "/a?w=1", plan: "w=1")
        record(1, in: cache)
        #expect(cache.statistics.entries == 3)
        #expect(cache.remove(.originals([origin])) == 2)
        #expect(cache.statistics.entries == 1)
    }
}
