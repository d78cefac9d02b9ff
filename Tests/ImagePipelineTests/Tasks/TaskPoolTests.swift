import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TaskPoolTests {
    typealias Pool = TaskPool<Int, PipelineError>

    /// The outcomes that waiters received, in order.
    final class Log: Sendable {
        private let entries = Lock<[String]>([])
        var all: [String] { entries.withLock { $0 } }

        func waiter(_ name: String) -> Pool.Waiter {
            { outcome, delivery in
                self.entries.withLock { entries in
                    switch outcome {
                    case .success(let value):
                        entries.append("\(name)=\(value)\(delivery.isCollapsed ? " collapsed" : "")")
                    case .failure(let error):
                        entries.append("\(name):\(error)\(delivery.isCollapsed ? " collapsed" : "")")
                    }
                }
            }
        }
    }

    /// Collects the started flights.
    final class Starts: Sendable {
        private let flights = Lock<[Flight<Int, PipelineError>]>([])
        var all: [Flight<Int, PipelineError>] { flights.withLock { $0 } }
        func append(_ flight: Flight<Int, PipelineError>) { flights.withLock { $0.append(flight) } }
    }

    let key = CacheKey(hashing: "a")
    let other = CacheKey(hashing: "b")
    let log = Log()
    let starts = Starts()

    @Test func `equal keys share one flight, and waiters receive its value in order of arrival`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        for name in ["first", "second", "third"] {
            pool.join(key, waiter: log.waiter(name)) { starts.append($0) }
        }
        #expect(starts.all.count == 1)
        #expect(pool.count == 1)
        starts.all[0].finish(.success(7))
        #expect(log.all == ["first=7", "second=7 collapsed", "third=7 collapsed"])
        #expect(pool.count == 0)
    }

    @Test func `different keys have separate flights`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key, waiter: log.waiter("a")) { starts.append($0) }
        pool.join(other, waiter: log.waiter("b")) { starts.append($0) }
        #expect(starts.all.count == 2)
    }

    @Test func `a failure is shared as well`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key, waiter: log.waiter("first")) { starts.append($0) }
        pool.join(key, waiter: log.waiter("second")) { starts.append($0) }
        starts.all[0].finish(.failure(.crashedDecoder))
        #expect(log.all == ["first:crashedDecoder", "second:crashedDecoder collapsed"])
    }

    @Test func `a flight ends once`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key, waiter: log.waiter("first")) { starts.append($0) }
        starts.all[0].finish(.success(1))
        starts.all[0].finish(.success(2))
        #expect(log.all == ["first=1"])
    }

    @Test func `a request after the end starts a new flight, also from within a waiter`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key) { [log, starts, key] outcome, delivery in
            log.waiter("first")(outcome, delivery)
            pool.join(key, waiter: log.waiter("again")) { starts.append($0) }
        } start: {
            starts.append($0)
        }
        starts.all[0].finish(.success(1))
        #expect(starts.all.count == 2)
        starts.all[1].finish(.success(2))
        #expect(log.all == ["first=1", "again=2"])
    }

    @Test func `a waiter over the limit is refused`() {
        let pool = Pool(maximumWaiters: 2, maximumFlights: 10)
        for name in ["first", "second", "third"] {
            pool.join(key, waiter: log.waiter(name)) { starts.append($0) }
        }
        #expect(log.all == ["third:overloaded(\"too many requests are waiting for this response\")"])
    }

    @Test func `an account that takes all places of a flight leaves as many to others`() {
        let pool = Pool(maximumWaiters: 4, maximumFlights: 10)
        func join(_ name: String, _ account: String?) -> Bool {
            let refusals = log.all.count
            _ = pool.join(key, account: account, waiter: log.waiter(name)) { starts.append($0) }
            return log.all.count == refusals
        }
        for number in 1...4 { #expect(join("a\(number)", "a")) }
        #expect(!join("a5", "a") && !join("c1", nil))
        #expect(log.all[0] == "a5:overloaded(\"too many requests are waiting for this response\")")
        // Each has half as many.
        for account in ["b", "d"] {
            for number in 1...3 { #expect(join("\(account)\(number)", account) == (number < 3)) }
        }
        // All of these are taken, too.
        #expect(!join("e1", "e"))
        let refusals = log.all.count
        starts.all[0].finish(.success(5))
        let served = ["a1", "a2", "a3", "a4", "b1", "b2", "d1", "d2"]
        #expect(log.all.dropFirst(refusals).map { String($0.prefix(4)) } == served.map { "\($0)=5" })
    }

    @Test func `a flight over the limit is refused`() {
        let pool = Pool(maximumWaiters: 2, maximumFlights: 1)
        pool.join(key, waiter: log.waiter("a")) { starts.append($0) }
        pool.join(other, waiter: log.waiter("b")) { starts.append($0) }
        #expect(starts.all.count == 1)
        #expect(log.all == ["b:overloaded(\"too many responses are in progress\")"])
    }

    @Test func `a waiter that leaves does not affect the others`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        let first = pool.join(key, waiter: log.waiter("first")) { starts.append($0) }
        pool.join(key, waiter: log.waiter("second")) { starts.append($0) }
        let cancelled = Counter()
        starts.all[0].onAbandon(unless: { false }, cancel: { cancelled.increment() })
        first.cancel()
        #expect(cancelled.value == 0)
        starts.all[0].finish(.success(3))
        #expect(log.all == ["second=3 collapsed"])
    }

    @Test func `when the last waiter leaves, the work is cancelled and the key is free`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        let cancelled = Counter()
        let first = pool.join(key, waiter: log.waiter("first")) { flight in
            starts.append(flight)
            flight.onAbandon(unless: { false }, cancel: { cancelled.increment() })
        }
        first.cancel()
        first.cancel()
        #expect(cancelled.value == 1)
        #expect(pool.count == 0)
        #expect(starts.all[0].isOver)
        pool.join(key, waiter: log.waiter("later")) { starts.append($0) }
        // The result of abandoned work reaches no waiter and does not affect its successor.
        starts.all[0].finish(.success(1))
        #expect(pool.count == 1)
        starts.all[1].finish(.success(2))
        #expect(log.all == ["later=2"])
    }

    @Test func `work worth finishing continues without waiters and may be joined`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        let cancelled = Counter()
        let first = pool.join(key, waiter: log.waiter("first")) { flight in
            starts.append(flight)
            flight.onAbandon(unless: { true }, cancel: { cancelled.increment() })
        }
        first.cancel()
        pool.join(key, waiter: log.waiter("second")) { starts.append($0) }
        #expect(starts.all.count == 1)
        starts.all[0].finish(.success(5))
        #expect(cancelled.value == 0)
        #expect(log.all == ["second=5 collapsed"])
    }

    @Test func `a flight without waiters is cancelled as soon as it sets its cancellation`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        let cancelled = Counter()
        let first = pool.join(key, waiter: log.waiter("first")) { starts.append($0) }
        first.cancel()
        starts.all[0].onAbandon(unless: { false }, cancel: { cancelled.increment() })
        #expect(cancelled.value == 1)
    }

    @Test func `work whose clients change before it can follow them follows as soon as it can`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key, priority: .low, waiter: log.waiter("first")) { starts.append($0) }
        let flight = starts.all[0]
        let seen = Lock<[[Claim]]>([])
        let follow = { @Sendable [claims = flight.claims] in seen.withLock { [all = claims.all] in $0.append(all) } }
        flight.onChange(follow)
        #expect(seen.withLock { $0 } == [])
        let urgent = pool.join(key, priority: .high, waiter: log.waiter("second")) { starts.append($0) }
        #expect(seen.withLock { $0 } == [[Claim(nil, .high)]] && flight.priority == .high)
        flight.onChange(follow)
        #expect(seen.withLock { $0.count } == 2)
        urgent.cancel()
        #expect(seen.withLock { $0.last } == [Claim(nil, .low)])
    }

    @Test func `a flight knows the clients that wait, in order of arrival and each as urgent as it is`() {
        let pool = Pool(maximumWaiters: 100, maximumFlights: 10)
        let changes = Counter()
        func join(_ account: String?, _ priority: RequestPriority = .normal) -> Subscription {
            pool.join(key, account: account, priority: priority, waiter: log.waiter("")) { starts.append($0) }
        }
        let first = join("a", .low)
        let flight = starts.all[0]
        flight.onChange { changes.increment() }
        _ = join("b")
        let urgent = join("a", .high)
        #expect(changes.value == 2)
        #expect(flight.claims.all == [Claim("a", .high), Claim("b", .normal)])
        // Another one of the same client changes nothing, and neither does its end.
        join("b", .low).cancel()
        #expect(changes.value == 2)
        urgent.cancel()
        #expect(flight.claims.all == [Claim("a", .low), Claim("b", .normal)] && changes.value == 3)
        first.cancel()
        #expect(flight.claims.all == [Claim("b", .normal)] && changes.value == 4)
        let more = (0..<20).map { join("\($0)") }
        #expect(flight.claims.all.map(\.account) == ["b"] + (0..<7).map { "\($0)" } && changes.value == 11)
        more[3].cancel()
        #expect(flight.claims.all.map(\.account) == ["b", "0", "1", "2", "4", "5", "6", "7"])
    }

    @Test func `a flight that another waits for knows the clients of both`() {
        let pool = Pool(maximumWaiters: 10, maximumFlights: 10)
        pool.join(key, account: "a", priority: .low, waiter: log.waiter("a")) { starts.append($0) }
        let outer = starts.all[0]
        let step = pool.join(other, account: "a", priority: .low, claims: outer.claims, waiter: log.waiter("")) {
            starts.append($0)
        }
        outer.onChange { step.waitersChanged() }
        let (inner, changes) = (starts.all[1], Counter())
        inner.onChange { changes.increment() }
        pool.join(key, account: "b", waiter: log.waiter("b")) { starts.append($0) }
        pool.join(other, account: "c", waiter: log.waiter("c")) { starts.append($0) }
        #expect(inner.claims.all == [Claim("a", .low), Claim("b", .background), Claim("c", .background)])
        #expect(changes.value == 2)
        #expect(inner.claims.turns(else: Claim(nil, .background)) == [Claim("a", .low)])
    }

    @Test func `one of many threads starts the flight, and all receive its value`() async {
        let pool = Pool(maximumWaiters: 1000, maximumFlights: 10)
        let told = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { [key, starts] in
                    pool.join(key) { _, _ in
                        told.increment()
                    } start: {
                        starts.append($0)
                    }
                }
            }
        }
        #expect(starts.all.count == 1)
        starts.all[0].finish(.success(1))
        #expect(told.value == 200)
    }
}

/// A counter for many threads.
final class Counter: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}
