import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct MemoryAllowanceTests {
    private static let quota = 6400

    @Test func `shrinks by a quarter, then waits for the effect`() {
        var allowance = MemoryAllowance(quota: Self.quota)
        allowance.move(.pressed, held: Self.quota)
        #expect(allowance.bytes == 4800 && allowance.isReduced && allowance.steps == 1)
        for _ in 0..<2 { allowance.move(.pressed, held: 4800) }
        #expect(allowance.bytes == 4800)
        allowance.move(.pressed, held: 4800)
        #expect(allowance.bytes == 3600 && allowance.steps == 2)
    }

    @Test func `computes a step from the cached bytes, so that it evicts something`() {
        var allowance = MemoryAllowance(quota: Self.quota)
        allowance.move(.pressed, held: 2000)
        #expect(allowance.bytes == 1500)
    }

    @Test func `halves at critical pressure, and never goes below its minimum`() {
        var allowance = MemoryAllowance(quota: Self.quota)
        allowance.move(.critical, held: Self.quota)
        #expect(allowance.bytes == 3200)
        for _ in 0..<100 { allowance.move(.critical, held: allowance.bytes) }
        #expect(allowance.bytes == Self.quota / 16)
        #expect(allowance.steps == 4)
    }

    @Test func `grows back slowly after a period of calm, up to its quota`() {
        var allowance = MemoryAllowance(quota: Self.quota)
        for _ in 0..<50 { allowance.move(.critical, held: allowance.bytes) }
        for _ in 0..<10 { allowance.move(.calm, held: 400) }
        #expect(allowance.bytes == 400)
        allowance.move(.calm, held: 400)
        #expect(allowance.bytes == 500)
        allowance.move(.tight, held: 500)
        allowance.move(.calm, held: 500)
        #expect(allowance.bytes == 500, "after an interruption, the calm period starts again")
        var readings = 0
        while allowance.isReduced, readings < 1000 {
            allowance.move(.calm, held: 500)
            readings += 1
        }
        #expect(allowance.bytes == Self.quota && readings == 9 + 59)
        allowance.move(.calm, held: 500)
        #expect(allowance.bytes == Self.quota)
    }

    @Test func `a new quota applies immediately, within what pressure permits`() {
        var allowance = MemoryAllowance(quota: Self.quota)
        allowance.setQuota(10_000)
        #expect(allowance.bytes == 10_000)
        allowance.move(.pressed, held: 10_000)
        allowance.setQuota(20_000)
        #expect(allowance.bytes == 7500 && allowance.isReduced)
        allowance.setQuota(5000)
        #expect(allowance.bytes == 5000 && !allowance.isReduced)
    }
}
