import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let received: Int64 = 784_111_777

    private func compute(
        _ control: String? = nil,
        expires: String? = nil,
        date: String? = nil,
        age: String? = nil,
        delay: Int64 = 0,
        minimum: Int64 = 0,
        maximum: Int64 = .max
    ) -> Freshness {
        Freshness.compute(
            control: control.map { CacheControl($0) } ?? CacheControl(),
            expires: expires,
            date: date,
            age: age,
            requestTime: Self.received - delay,
            responseTime: Self.received,
            defaultLifetime: 3_600,
            minimum: minimum,
            maximum: maximum
        )
    }

    @Test(arguments: [
        (nil as String?, nil as String?, 3_600 as Int64),
        ("max-age=60", nil, 60), ("s-maxage=5, max-age=60", nil, 5), ("max-age=60, s-maxage=5", nil, 5),
        ("s-maxage=0, max-age=60", nil, 0), ("max-age=x", nil, 0), ("public", nil, 3_600),
        ("max-age=60", "Sun, 06 Nov 1994 09:49:37 GMT", 60), (nil, "Sun, 06 Nov 1994 08:50:37 GMT", 60),
        (nil, "Sun, 06 Nov 1994 08:49:37 GMT", 0), (nil, "Sun, 06 Nov 1994 08:00:00 GMT", 0), (nil, "0", 0),
        (nil, "", 0),
        (nil, "Sun, 06 Nov 1994 08:50:37 GMT, Sun, 06 Nov 1994 08:50:37 GMT", 0),
        ("no-cache", nil, 0), ("no-cache, max-age=60", nil, 0), ("no-cache=\"set-cookie\", max-age=60", nil, 60),
        ("no-cache=\"content-type\", max-age=60", nil, 0),
    ])
    func `takes the lifetime from the strongest field`(control: String?, expires: String?, lifetime: Int64) {
        let freshness = compute(control, expires: expires)
        #expect(freshness == Freshness(responseTime: Self.received, initialAge: 0, lifetime: lifetime))
    }

    @Test(arguments: [
        (nil as String?, nil as String?, 0 as Int64, 0 as Int64), (nil, "10", 0, 10), (nil, "10", 3, 13),
        (nil, nil, 3, 3),
        ("Sun, 06 Nov 1994 08:49:27 GMT", nil, 0, 10), ("Sun, 06 Nov 1994 08:49:27 GMT", "4", 3, 10),
        ("Sun, 06 Nov 1994 08:49:27 GMT", "20", 3, 23), ("Sun, 06 Nov 1994 08:59:37 GMT", nil, 0, 0),
        ("yesterday", "7", 0, 7), (nil, "7, 8", 0, 7), (nil, "x", 0, 0), (nil, "-7", 0, 0), (nil, "", 0, 0),
        (nil, "99999999999999999999", 0, 2_147_483_648),
    ])
    func `accounts for age, date and delay`(date: String?, age: String?, delay: Int64, expected: Int64) {
        let freshness = compute("max-age=60", date: date, age: age, delay: delay)
        #expect(freshness.initialAge == expected)
        #expect(freshness.lifetime == 60)
    }

    @Test func `measures Expires from Date, not from the local clock`() {
        let freshness = compute(expires: "Sun, 06 Nov 1994 07:50:37 GMT", date: "Sun, 06 Nov 1994 07:49:37 GMT")
        #expect(freshness.lifetime == 60)
        #expect(freshness.initialAge == 3_600)
        #expect(!freshness.isFresh(at: Self.received))
    }

    @Test(arguments: [
        ("max-age=5", 10 as Int64, 100 as Int64, 10 as Int64), ("max-age=500", 10, 100, 100),
        ("max-age=50", 10, 100, 50),
        ("max-age=0", 10, 100, 10), ("no-cache", 10, 100, 0), ("public", 10, 100, 100), ("public", 4_000, 5_000, 3_600),
    ])
    func `keeps the lifetime within the source's limits`(
        control: String,
        minimum: Int64,
        maximum: Int64,
        expected: Int64
    ) {
        let freshness = compute(control, minimum: minimum, maximum: maximum)
        #expect(freshness.lifetime == expected)
    }

    @Test func `ages with time, and not if the clock goes backwards`() {
        let freshness = Freshness(responseTime: 1_000, initialAge: 5, lifetime: 60)
        #expect(freshness.age(at: 1_010) == 15)
        #expect(freshness.age(at: 900) == 5)
        #expect(freshness.isFresh(at: 1_054))
        #expect(!freshness.isFresh(at: 1_055))
    }

    @Test(arguments: [Int64.max, .min, 1 << 40, -1 << 40])
    func `a number that no response has makes it stale, and no sum overflows`(number: Int64) {
        let now: Int64 = 1_700_000_000
        let fields: [WritableKeyPath<Freshness, Int64>] = [\.responseTime, \.initialAge, \.lifetime]
        for field in fields {
            var freshness = Freshness(responseTime: now, initialAge: 0, lifetime: 60)
            #expect(freshness.isFresh(at: now) && freshness.staleAt == now + 60)
            freshness[keyPath: field] = number
            #expect(!freshness.isFresh(at: now) && freshness.bornAt == 0 && freshness.staleAt == 0)
            #expect(freshness.age(at: now) == now && freshness.staleness(at: now) == now)
        }
        let all = Freshness(responseTime: number, initialAge: number, lifetime: number)
        #expect(!all.isFresh(at: now) && all.elapsed(at: now) == now)
    }

    @Test func `a lifetime up to the year 9999 counts`() {
        let freshness = Freshness(responseTime: Self.received, initialAge: 0, lifetime: 253_402_300_799 - Self.received)
        #expect(freshness.isFresh(at: 253_402_300_798) && !freshness.isFresh(at: 253_402_300_799))
    }

    @Test func `handles a clock that changes during a request`() {
        #expect(compute("max-age=60", delay: -100).initialAge == 0)
    }
}
