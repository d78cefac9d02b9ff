package import HTTPSemantics
import Synchronization

/// Decides for which requests spans are recorded; any thread.
///
/// A server asks it for every request while it is on, so it takes no lock.
package final class TraceSampling: Sendable {
    private let isOn = Atomic(false)
    /// Requests whose number is below it are sampled.
    private let threshold = Atomic<UInt64>(0)
    private let followsAll = Atomic(false)

    /// Creates a decision that records nothing.
    package init() {}

    /// Stops recording.
    package func turnOff() { isOn.store(false, ordering: .relaxed) }

    /// Starts recording, or changes the share of requests that are recorded.
    ///
    /// - Parameters:
    ///   - millionths: the share of traces that begin here, in millionths.
    ///   - followsAll: whether any caller's `sampled` flag decides, not only that of a trusted proxy.
    package func turnOn(millionths: Int, followsAll: Bool) {
        let share = UInt64(min(max(0, millionths), 1_000_000))
        threshold.store(share == 1_000_000 ? .max : share * (.max / 1_000_000), ordering: .relaxed)
        self.followsAll.store(followsAll, ordering: .relaxed)
        isOn.store(true, ordering: .relaxed)
    }

    /// Records the decision about a request in its context; does nothing while off.
    ///
    /// The `sampled` flag of the caller decides if the caller is trusted (parent-based sampling); otherwise the share does. A client
    /// that is not trusted chooses neither the flag nor the number that is compared with the share, so it cannot fill the queue.
    @inline(__always)
    package func decide(_ trace: inout TraceContext, isTrusted: Bool) {
        guard isOn.load(ordering: .relaxed) else { return }
        decideNow(&trace, isTrusted)
    }

    private func decideNow(_ trace: inout TraceContext, _ isTrusted: Bool) {
        let isSampled: Bool
        if trace.isFromCaller, isTrusted || followsAll.load(ordering: .relaxed) {
            isSampled = trace.flags & 1 == 1
        } else {
            let number = trace.isFromCaller ? .random(in: .min ... .max) : trace.low
            isSampled = number < threshold.load(ordering: .relaxed)
        }
        trace.decide(span: isSampled ? .random(in: 1 ... .max) : 0)
    }
}
