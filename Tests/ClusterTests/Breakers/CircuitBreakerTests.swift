import Cluster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CircuitBreakerTests {
    private let time = ManualTime()
    private let breaker: SharedBreaker

    init() { breaker = SharedBreaker(time: time) }

    /// Begins requests, and fails them.
    private func fail(_ count: Int) throws {
        for _ in 0..<count { breaker.end(try #require(breaker.begin()), hasAnswered: false) }
    }

    @Test func `five failures in succession open it, others do not`() throws {
        try fail(4)
        breaker.end(try #require(breaker.begin()), hasAnswered: true)
        try fail(4)
        breaker.end(try #require(breaker.begin()), hasAnswered: nil)
        #expect(breaker.isAdmitting && !breaker.isOpen)
        try fail(1)
        #expect(breaker.begin() == nil && breaker.isOpen && !breaker.isAdmitting)
    }

    @Test func `after a second, a single probe is admitted, and its answer closes it`() throws {
        try fail(5)
        time.advance(seconds: 1)
        #expect(breaker.isAdmitting)
        let probe = try #require(breaker.begin())
        #expect(!breaker.isAdmitting && breaker.begin() == nil)
        breaker.end(probe, hasAnswered: true)
        #expect(breaker.begin() != nil && breaker.begin() != nil && !breaker.isOpen)
    }

    @Test func `each failed probe doubles the pause, up to 30 seconds`() throws {
        try fail(5)
        for pause: Int64 in [1, 2, 4, 8, 16, 30, 30] {
            time.advance(seconds: pause - 1)
            #expect(breaker.begin() == nil, "\(pause)")
            time.advance(seconds: 1)
            try fail(1)
        }
    }

    @Test func `requests that were sent before it opened do not prolong the pause`() throws {
        let late = try #require(breaker.begin())
        try fail(5)
        breaker.end(late, hasAnswered: false)
        time.advance(seconds: 1)
        #expect(breaker.begin() != nil)
    }

    @Test func `while a probe is under way, the end of an earlier request has no effect`() throws {
        let unsent = try #require(breaker.begin())
        let late = try #require(breaker.begin())
        try fail(5)
        time.advance(seconds: 1)
        let probe = try #require(breaker.begin())
        breaker.end(unsent, hasAnswered: nil)
        #expect(breaker.begin() == nil)
        breaker.end(late, hasAnswered: false)
        time.advance(seconds: 2)
        #expect(breaker.begin() == nil)
        // The pause is the second one.
        breaker.end(probe, hasAnswered: false)
        time.advance(seconds: 1)
        #expect(breaker.begin() == nil)
        time.advance(seconds: 1)
        #expect(breaker.begin() != nil)
    }

    @Test func `a probe that was under way when another answer closed it is not the next one`() throws {
        let late = try #require(breaker.begin())
        try fail(5)
        time.advance(seconds: 1)
        let first = try #require(breaker.begin())
        breaker.end(late, hasAnswered: true)
        try fail(5)
        time.advance(seconds: 1)
        let second = try #require(breaker.begin())
        breaker.end(first, hasAnswered: false)
        breaker.end(first, hasAnswered: nil)
        #expect(breaker.begin() == nil)
        breaker.end(second, hasAnswered: nil)
        #expect(breaker.begin() != nil)
    }

    @Test func `a probe that is not sent leaves its place to the next`() throws {
        try fail(5)
        time.advance(seconds: 1)
        breaker.end(try #require(breaker.begin()), hasAnswered: nil)
        #expect(breaker.begin() != nil)
    }

    @Test func `it tells once that it opens, with the last failure's reason, and once that it closes`() throws {
        let told = Signal<[String?]>([])
        let breaker = SharedBreaker(time: time) { reason in told.update { $0.append(reason) } }
        func end(_ hasAnswered: Bool, _ reason: String) throws {
            breaker.end(try #require(breaker.begin()), hasAnswered: hasAnswered, because: reason)
        }
        for number in 1...5 { try end(false, "\(number)") }
        #expect(told.value == ["5"])
        time.advance(seconds: 1)
        try end(false, "6")
        #expect(told.value == ["5"])
        time.advance(seconds: 2)
        for _ in 1...2 { try end(true, "") }
        #expect(told.value == ["5", nil])
    }
}
