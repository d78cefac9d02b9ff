import Cluster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreBreakerTests {
    private let time = ManualTime()

    private func opened() -> StoreBreaker {
        let breaker = StoreBreaker(time: time)
        for _ in 0..<5 { breaker.fail() }
        return breaker
    }

    @Test func `five failures in succession open it, others do not`() {
        let breaker = StoreBreaker(time: time)
        for _ in 0..<4 { breaker.fail() }
        breaker.succeed()
        for _ in 0..<4 { breaker.fail() }
        #expect(breaker.admits() && !breaker.isOpen)
        breaker.fail()
        #expect(!breaker.admits() && breaker.isOpen && !breaker.isAdmitting)
    }

    @Test func `after a second, a single probe is admitted, and its success closes it`() {
        let breaker = opened()
        time.advance(seconds: 1)
        #expect(breaker.isAdmitting && breaker.admits() && !breaker.isAdmitting && !breaker.admits())
        breaker.succeed()
        #expect(breaker.admits() && breaker.admits() && !breaker.isOpen)
    }

    @Test func `each failed probe doubles the pause, up to 30 seconds`() {
        let breaker = opened()
        for pause: Int64 in [1, 2, 4, 8, 16, 30, 30] {
            time.advance(seconds: pause - 1)
            #expect(!breaker.admits(), "\(pause)")
            time.advance(seconds: 1)
            #expect(breaker.admits(), "\(pause)")
            breaker.fail()
        }
    }

    @Test func `late failures of requests that were admitted earlier do not prolong the pause`() {
        let breaker = opened()
        breaker.fail()
        time.advance(seconds: 1)
        #expect(breaker.admits())
    }

    @Test func `a probe that is not sent leaves its place to the next`() {
        let breaker = opened()
        time.advance(seconds: 1)
        #expect(breaker.admits())
        breaker.release()
        #expect(breaker.admits())
    }
}
