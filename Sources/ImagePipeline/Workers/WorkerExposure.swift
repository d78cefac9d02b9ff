import ImagePlan
import LinuxSystem

/// What a worker process has been exposed to: after decoding a hostile file, it may keep what it decodes later, or alter it.
enum WorkerExposure: Hashable {
    /// No job yet.
    case fresh
    /// Jobs of one trust domain; `nil` is the domain that sources without isolation share.
    case domain(String?)

    /// Whether the process may run a job of a domain.
    func admits(_ domain: String?) -> Bool {
        switch self {
        case .fresh: true
        case .domain(let own): own == domain
        }
    }
}

extension WorkerReply.Failure {
    /// Whether a decoder has rejected the image.
    ///
    /// The attempt may have left the process in a state that no test covers, so it is replaced. A refusal is the worker's own, because
    /// of a limit, and a deadline is about time; neither is the decoder's.
    var isDecoderError: Bool {
        switch self {
        case .broken, .unsupported: true
        case .refused, .deadline, .cancelled, .worker: false
        }
    }
}

/// Limits how often the pool replaces workers after decoder errors: a token bucket; any thread.
///
/// A start costs tens of milliseconds of processor time, and a damaged image a fraction of one. Without a limit, a flood of damaged
/// images would cost far more than it costs its sender.
final class ReplacementBudget: Sendable {
    private struct State {
        var tokens: Double
        /// The time of the last change, in monotonic nanoseconds.
        var time: Int64
    }

    private let perSecond: Double
    private let burst: Double
    private let state: Lock<State>

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - perSecond: replacements per second in the long run.
    ///   - burst: replacements at once.
    ///   - time: the current monotonic time in nanoseconds.
    init(perSecond: Int, burst: Int, at time: Int64) {
        self.perSecond = Double(perSecond)
        self.burst = Double(burst)
        state = Lock(State(tokens: Double(burst), time: time))
    }

    /// Takes one replacement; `false` if none is left.
    func take(at time: Int64) -> Bool {
        state.withLock { state in
            let passed = Double(max(0, time - state.time)) / 1e9
            state.tokens = min(burst, state.tokens + passed * perSecond)
            state.time = max(state.time, time)
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}
