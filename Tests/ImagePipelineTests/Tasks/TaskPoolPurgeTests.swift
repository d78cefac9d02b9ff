import CacheTestSupport
import LinuxSystem
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct TaskPoolPurgeTests {
    private let pool = TaskPool<Int, PipelineError>(maximumWaiters: 10, maximumFlights: 10)
    private let key = CacheKey(hashing: "a")
    private let selection = PurgeSelection.source("photos")

    /// Joins the flight of the key, or starts one and returns it.
    private func join(source: String = "photos") -> Flight<Int, PipelineError>? {
        var started: Flight<Int, PipelineError>?
        pool.join(key, about: PurgeSubject(origin: key, source: source), waiter: { _, _ in }) { started = $0 }
        return started
    }

    @Test func `discards results of flights that run during a purge`() throws {
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
        // The end of an old flight does not affect the new one.
        before.finish(.success(1))
        during.finish(.success(2))
        #expect(join() == nil)
    }

    @Test func `ending one purge does not end another`() throws {
        #expect(pool.beginPurge(selection) == 0)
        #expect(pool.beginPurge(selection) == 0)
        pool.endPurge(selection)
        #expect(try #require(join()).publish { 1 } == nil)
        pool.endPurge(selection)
        #expect(try #require(join()).publish { 1 } == 1)
    }

    @Test func `does not affect other flights`() throws {
        let other = try #require(join(source: "other"))
        #expect(pool.beginPurge(selection) == 0)
        #expect(other.publish { 1 } == 1)
        pool.endPurge(selection)
        #expect(join(source: "other") == nil)
    }

    @Test func `a purge affects flights that may have been selected by an earlier one`() throws {
        let flight = try #require(join())
        let record = CacheFixture.origin(1, body: [1])
        let doubtful = PurgeSelection.tags(["sale"])
        #expect(pool.beginPurge(doubtful) == 0)
        pool.endPurge(doubtful)
        #expect(flight.publish(of: record) { 1 } == 1)
        #expect(pool.count == 1)
        #expect(pool.beginPurge(selection) == 1)
        pool.endPurge(selection)
        #expect(flight.publish(of: record) { 1 } == nil)
        flight.finish(.success(1))
        #expect(pool.count == 0)
    }

    @Test func `a purge affects flights that began while an earlier one was in progress`() throws {
        let doubtful = PurgeSelection.tags(["sale"])
        #expect(pool.beginPurge(doubtful) == 0)
        let flight = try #require(join())
        pool.endPurge(doubtful)
        #expect(pool.beginPurge(selection) == 1)
        #expect(flight.publish(of: CacheFixture.origin(1, body: [1])) { 1 } == nil)
    }
}
