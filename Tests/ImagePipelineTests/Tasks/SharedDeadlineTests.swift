import HTTPCache
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SharedDeadlineTests {
    private let pool = TaskPool<Int, PipelineError>(maximumWaiters: 10, maximumFlights: 10)
    private let starts = TaskPoolTests.Starts()
    private let key = CacheKey(hashing: "a")

    private func join(until deadline: Int64?) -> Subscription {
        pool.join(key, deadline: SharedDeadline(deadline)) { _, _ in
        } start: {
            starts.append($0)
        }
    }

    @Test func `a deadline has passed once its time has come, and none never has`() {
        #expect(!SharedDeadline(10).isPast(at: 9) && SharedDeadline(10).isPast(at: 10))
        #expect(!SharedDeadline.none.isPast(at: .max) && SharedDeadline.none.nanoseconds == nil)
    }

    @Test func `the latest deadline of a flight's waiters counts, and only of those that still wait`() throws {
        let first = join(until: 10)
        let deadline = try #require(starts.all.first).deadline
        #expect(deadline.nanoseconds == 10)
        let second = join(until: 30)
        let third = join(until: 20)
        #expect(deadline.nanoseconds == 30)
        second.cancel()
        #expect(deadline.nanoseconds == 20)
        first.cancel()
        #expect(deadline.isPast(at: 20) && !deadline.isPast(at: 19))
        // Work that continues without waiters is worth finishing, however late.
        third.cancel()
        #expect(deadline.nanoseconds == nil)
        #expect(starts.all.count == 1)
    }

    @Test func `a waiter without a deadline waits for as long as it takes`() throws {
        _ = join(until: 10)
        let deadline = try #require(starts.all.first).deadline
        let endless = join(until: nil)
        #expect(deadline.nanoseconds == nil)
        endless.cancel()
        #expect(deadline.nanoseconds == 10)
    }

    @Test func `a flight for a flight has the deadlines of both`() throws {
        let variants = TaskPool<Int, PipelineError>(maximumWaiters: 10, maximumFlights: 10)
        var outer: [Flight<Int, PipelineError>] = []
        for (name, time) in [("b", 10), ("c", 20)] as [(String, Int64)] {
            variants.join(CacheKey(hashing: name), deadline: SharedDeadline(time)) { _, _ in
            } start: { flight in
                outer.append(flight)
                pool.join(key, deadline: flight.deadline) { _, _ in
                } start: {
                    starts.append($0)
                }
            }
        }
        let deadline = try #require(starts.all.first).deadline
        #expect(deadline.nanoseconds == 20)
        // A later request for the variant reaches the original's flight as well.
        variants.join(CacheKey(hashing: "b"), deadline: SharedDeadline(40)) { _, _ in
        } start: { _ in
        }
        #expect(deadline.nanoseconds == 40 && outer.count == 2)
    }
}
