import HTTPCache
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct BackgroundWorkTests {
    private let pool = TaskPool<Answer, PipelineError>(maximumWaiters: 10, maximumFlights: 50)
    private let time = ManualTime()
    private let work: VariantBackground
    /// The flights of the started jobs, in order.
    private let flights = Signal<[Flight<Answer, PipelineError>]>([])
    /// The number of dropped jobs.
    private let drops = Signal(0)

    init() {
        work = VariantBackground(pool: pool, deferredLimit: 2, time: time)
    }

    private func request(_ number: Int) -> VariantRequest {
        let rule = SourceRule(name: "s", location: .http(prefix: "http://o.test/"))
        return VariantRequest(
            origin: OriginRequest(source: rule, at: "http://o.test/\(number)"),
            plan: "1?w=1",
            bucket: nil
        )
    }

    private func offer(_ kind: BackgroundKind, _ number: Int) {
        let (flights, drops) = (flights, drops)
        work.offer(kind, for: request(number), dropped: { drops.update { $0 += 1 } }) { flight in
            flights.update { $0.append(flight) }
        }
    }

    private var started: [Flight<Answer, PipelineError>] { flights.value }

    @Test func `refreshes run immediately, one per key at a time`() {
        for number in [1, 2, 1, 3] { offer(.refresh, number) }
        #expect(started.count == 3 && pool.count == 3)
        started[0].finish(.failure(.cancelled))
        offer(.refresh, 1)
        #expect(started.count == 4 && drops.value == 1)
    }

    @Test func `a refresh does not start while requests for the variant share a flight`() {
        pool.join(request(1).key) { _, _ in
        } start: { _ in
        }
        offer(.refresh, 1)
        #expect(started.isEmpty && pool.count == 1)
    }

    @Test func `placeholders over the limit are dropped, and a finished one frees its slot`() {
        for number in 0...BackgroundKind.maximumPlaceholders { offer(.placeholder, number) }
        #expect(started.count == BackgroundKind.maximumPlaceholders && drops.value == 1)
        started[5].finish(.failure(.cancelled))
        offer(.placeholder, BackgroundKind.maximumPlaceholders)
        #expect(started.count == BackgroundKind.maximumPlaceholders + 1 && drops.value == 1)
    }

    @Test func `deferred jobs run one at a time in order, and those over the limit are dropped`() {
        for number in [1, 2, 2, 3, 1, 4] { offer(.deferred, number) }
        #expect(started.count == 1 && work.waitingCount(.deferred) == 2 && drops.value == 1)
        started[0].finish(.failure(.cancelled))
        started[1].finish(.failure(.cancelled))
        #expect(started.count == 3 && work.waitingCount(.deferred) == 0)
        work.setWaitingLimit(1, of: .deferred)
        for number in 5...6 { offer(.deferred, number) }
        #expect(work.waitingCount(.deferred) == 1 && drops.value == 2)
    }

    @Test func `a paused key waits a minute, and others do not`() {
        work.pause(.deferred, request(1).key)
        offer(.deferred, 1)
        #expect(started.isEmpty)
        offer(.deferred, 2)
        #expect(started.count == 1)
        started[0].finish(.failure(.cancelled))
        time.advance(seconds: 60)
        offer(.deferred, 1)
        #expect(started.count == 2 && drops.value == 0)
    }

    @Test func `a job refused by a full pool is dropped, and the next one may run`() {
        var others: [Flight<Answer, PipelineError>] = []
        for number in 0..<50 {
            pool.join(CacheKey(hashing: "\(number)")) { _, _ in
            } start: {
                others.append($0)
            }
        }
        offer(.deferred, 1)
        #expect(started.isEmpty && drops.value == 1 && work.waitingCount(.deferred) == 0)
        others[0].finish(.failure(.cancelled))
        offer(.deferred, 1)
        #expect(started.count == 1)
    }
}
