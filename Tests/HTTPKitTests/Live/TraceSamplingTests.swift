import HTTPKit
import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1))) struct TraceSamplingTests {
    private func context(_ flags: String) throws -> TraceContext {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
        let parsed = TraceContext(text.utf8Span.span)
        return try #require(parsed)
    }

    private func isRecorded(_ sampling: TraceSampling, _ context: TraceContext, isTrusted: Bool = false) -> Bool {
        var context = context
        sampling.decide(&context, isTrusted: isTrusted)
        return context.isRecorded
    }

    @Test func `records nothing while it is off, and leaves the caller's flag`() throws {
        let sampling = TraceSampling()
        var caller = try context("01")
        sampling.decide(&caller, isTrusted: true)
        #expect(!caller.isRecorded && caller.flags == 1)
        sampling.turnOn(millionths: 1_000_000, followsAll: true)
        sampling.turnOff()
        #expect(!isRecorded(sampling, caller, isTrusted: true))
    }

    @Test(arguments: [(0, false), (1_000_000, true)])
    func `the share decides about own traces and those of strangers`(share: Int, isRecorded expected: Bool) throws {
        let sampling = TraceSampling()
        sampling.turnOn(millionths: share, followsAll: false)
        for number in 1...100 as ClosedRange<UInt64> {
            #expect(isRecorded(sampling, TraceContext(high: 1, low: number &* 0x9E37_79B9_7F4A_7C15)) == expected)
            for flags in ["00", "01"] { #expect(isRecorded(sampling, try context(flags)) == expected) }
        }
    }

    @Test func `the flag of a trusted caller decides, or that of any`() throws {
        let sampling = TraceSampling()
        for (followsAll, isTrusted) in [(false, true), (true, false)] {
            sampling.turnOn(millionths: 1_000_000, followsAll: followsAll)
            #expect(isRecorded(sampling, try context("01"), isTrusted: isTrusted))
            #expect(!isRecorded(sampling, try context("00"), isTrusted: isTrusted))
        }
    }

    @Test func `about the share of the server's own traces is recorded`() {
        let sampling = TraceSampling()
        sampling.turnOn(millionths: 250_000, followsAll: false)
        let low: (UInt64) -> UInt64 = { $0 &* 0x9E37_79B9_7F4A_7C15 ^ 0x1234_5678_9ABC_DEF0 }
        let count = (1...10_000 as ClosedRange<UInt64>).count {
            isRecorded(sampling, TraceContext(high: 1, low: low($0)))
        }
        #expect((2_400...2_600).contains(count), "\(count)")
    }
}
