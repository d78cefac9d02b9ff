import LinuxSystem
import Logging

/// Logs the beginning and the end of an overload's answers of one kind: two lines, however many there are.
///
/// Any thread.
final class OverloadLog: Sendable {
    private struct State: Sendable {
        /// The number of answers since the beginning; 0 while there are none.
        var answers = 0
        /// Monotonic nanoseconds of the first and the last answer.
        var first: Int64 = 0
        var last: Int64 = 0
    }

    /// Nanoseconds without an answer after which the overload has ended.
    static let quiet: Int64 = 30_000_000_000

    private let logger: Logger
    private let begins: Logger.Message
    private let ends: Logger.Message
    private let time: any TimeSource
    private let later: @Sendable (_ delay: Int64, _ work: @escaping @Sendable () -> Void) -> Bool
    private let state = Lock(State())

    /// - Parameters:
    ///   - begins: logged with the first answer.
    ///   - ends: logged when there has been none for `quiet`.
    ///   - later: runs a closure after a delay in nanoseconds; false if it never will.
    init(
        _ logger: Logger,
        begins: Logger.Message,
        ends: Logger.Message,
        time: any TimeSource,
        later: @escaping @Sendable (_ delay: Int64, _ work: @escaping @Sendable () -> Void) -> Bool
    ) {
        self.logger = logger
        self.begins = begins
        self.ends = ends
        self.time = time
        self.later = later
    }

    /// Records an answer of a source; the first one's detail is logged.
    func note(_ source: String, detail: String? = nil) {
        let now = time.monotonic
        let isFirst = state.withLock { state -> Bool in
            state.answers += 1
            state.last = now
            if state.answers == 1 { state.first = now }
            return state.answers == 1
        }
        guard isFirst else { return }
        var metadata: Logger.Metadata = ["source": "\(source)"]
        if let detail { metadata["detail"] = "\(detail)" }
        logger.warning(begins, metadata: metadata)
        check(after: Self.quiet)
    }

    private func check(after delay: Int64) {
        // Without a thread, the next answer begins anew.
        if !later(delay, { [self] in check() }) { state.withLock { $0.answers = 0 } }
    }

    private func check() {
        let now = time.monotonic
        let (left, ended) = state.withLock { state -> (Int64, State) in
            let left = state.last + Self.quiet - now
            defer { if left <= 0 { state.answers = 0 } }
            return (left, state)
        }
        guard left <= 0 else { return check(after: left) }
        logger.notice(
            ends,
            metadata: [
                "answers": "\(ended.answers)", "seconds": "\((ended.last - ended.first) / 1_000_000_000)",
            ]
        )
    }
}
