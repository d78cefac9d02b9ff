import LinuxSystem
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct TaskPoolPurgeTests {
    private let pool = TaskPool<Int, PipelineError>(maximumWaiters: 10, maximumFlights: 10)
    private let key = CacheKey(hashing: "a")
    private let selection = PurgeSelection.source("photos")

    /// Joins what is under way for the key, else starts; the flight where it did.
    private func join(source: String = "photos") -> Flight<Int, PipelineError>? {
        var started: Flight<Int, PipelineError>?
        pool.join(key, about: PurgeSubject(origin: key, source: source), waiter: { _, _ in }) { started = $0 }
        return started
    }

    @Test func `keeps nothing of what was under way, nor of what starts before the end`() throws {
        let before = try #require(join())
        #expect(before.publish { 1 } == 1)
        #expect(pool.beginPurge(selection) == 1)
        #expect(before.publish { 1 } == nil)
        let during = try #require(join())
        #expect(during.publish { 1 } == nil)
        #expect(join() == nil)
        pool.endPurge(selection)
        let after = try #require(join())
        #expect(after.publish { 1 } == 1)
        // Those that are over take nothing from the new one.
        before.finish(.success(1))
        during.finish(.success(2))
        #expect(join() == nil)
    }

    @Test func `one purge does not end the other`() throws {
        #expect(pool.beginPurge(selection) == 0)
        #expect(pool.beginPurge(selection) == 0)
        pool.endPurge(selection)
        #expect(try #require(join()).publish { 1 } == nil)
        pool.endPurge(selection)
        #expect(try #require(join()).publish { 1 } == 1)
    }

    @Test func `what it is not about goes on`() throws {
        let other = try #require(join(source: "other"))
        #expect(pool.beginPurge(selection) == 0)
        #expect(other.publish { 1 } == 1)
        pool.endPurge(selection)
        #expect(join(source: "other") == nil)
    }
}
