import CCurl
import HTTPSemantics
import LinuxSystem

/// What has been tried for a load so far.
struct TransferAttempts {
    /// The URLs of the original: the source's own, followed by those of its mirrors.
    let urls: [OriginURL]
    /// The index of the origin that is being asked.
    var index = 0
    /// Repetitions so far.
    var repetitions = 0
    /// The latest failure of the source's own origin, which is the load's result if no other request succeeds.
    var own: Result<TransferResponse, TransferError>?
    /// Whether a failure of this round may have been temporary.
    var mayRecover = false
    /// Seconds of the longest `Retry-After` of this round.
    var retryAfter: Int64 = 0

    /// Whether no request has been sent to another origin, or a second time.
    var isFirst: Bool { index == 0 && repetitions == 0 }
}

/// Repeated requests: to the same origin after a pause, or to a mirror (RFC 9110 §9.2.2).
///
/// A round asks the source's own origin and then each mirror, without a pause. `limits.retries` bounds the further rounds and the
/// resumptions of a load together. Each is one more request to the queue, and needs a closed circuit breaker. Unsafe requests and
/// responses that have been announced are never repeated; an announced body can only be resumed.
extension Transfer {
    /// Why a request may be worth repeating.
    enum Fault {
        /// The origin cannot be reached, does not respond in time, or is unavailable.
        case temporary
        /// Only another origin may help.
        case lasting
        /// The body of a 200 has ended early.
        case cut
    }

    /// What follows a failed request.
    enum Repetition {
        /// A request to the next mirror, at once.
        case mirror
        /// Another round.
        case round(after: Int64)
        /// A request for the rest of the body.
        case rest(after: Int64)
    }

    /// Nanoseconds of the first pause at most; each repetition doubles it.
    private static let firstPause: Int64 = 100_000_000
    /// The longest pause in nanoseconds; a `Retry-After` beyond it is left to the client.
    private static let longestPause: Int64 = 5_000_000_000

    /// Whether the request may be sent more than once.
    var isRepeatable: Bool {
        guard let exchange = ticket.request.exchange else { return true }
        return ["GET", "HEAD", "OPTIONS", "TRACE"].contains(exchange.method)
    }

    /// Whether a mirror is being asked.
    var isMirror: Bool { attempts.index > 0 }
    var hasMirror: Bool { attempts.index + 1 < attempts.urls.count }

    /// Whether a response with the current head is withheld because another request may replace it.
    ///
    /// A mirror may lack what the origin has, so none of its failures is an answer.
    var isReplaceable: Bool {
        guard isRepeatable, growing == nil else { return false }
        if isMirror { return head.status >= 400 }
        return head.status >= 500 && (hasMirror || Self.unavailable.contains(head.status) && mayRepeatInTime)
    }

    private var mayRepeatInTime: Bool {
        attempts.repetitions < options.limits.retries && !isProbe && pause(for: retryAfter) != nil
    }

    // MARK: Faults

    /// Returns why a failed request may be worth repeating; `nil` if it is not, or if it has succeeded.
    func fault(_ result: Result<TransferResponse, TransferError>, _ code: CURLcode) -> Fault? {
        guard isRepeatable else { return nil }
        // The daemon has refused the address or the response; another origin may have a better one.
        if failure != nil { return isMirror ? .lasting : nil }
        if case .failure(.addressRefused) = result { return isMirror ? .lasting : nil }
        guard head.isComplete else { return headFault(code) }
        if head.status != 200 {
            guard head.status >= (isMirror ? 400 : 500) else {
                if isMirror, case .failure = result { return .lasting }
                return nil
            }
            return Self.unavailable.contains(head.status) ? .temporary : .lasting
        }
        guard case .failure = result else { return nil }
        switch code {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: return .cut
        case CURLE_OPERATION_TIMEDOUT: return time.monotonic < totalDeadline || isPassedOn ? .cut : nil
        default: return isMirror ? .lasting : nil
        }
    }

    private func headFault(_ code: CURLcode) -> Fault? {
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_OK:
            .temporary
        case CURLE_OPERATION_TIMEDOUT: phase != .queue && time.monotonic < totalDeadline ? .temporary : nil
        case CURLE_OUT_OF_MEMORY, CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: nil
        default: .lasting
        }
    }

    // MARK: Repetitions

    /// Returns what to do about a failed request, and records it; `nil` to end the load.
    ///
    /// - Parameter mayRepeat: whether the origin may be asked again.
    func repetition(
        after fault: Fault,
        _ result: Result<TransferResponse, TransferError>,
        mayRepeat: Bool
    ) -> Repetition? {
        record(result)
        let isLeft = mayRepeat && attempts.repetitions < options.limits.retries
        if isLeft, fault != .lasting, resumption != nil || prepareResumption(after: fault, result), let pause = pause()
        {
            return .rest(after: pause)
        }
        // Bytes that clients have received can only be followed by the rest of the same representation.
        guard growing == nil else { return nil }
        attempts.mayRecover = attempts.mayRecover || fault != .lasting
        attempts.retryAfter = max(attempts.retryAfter, retryAfter)
        if hasMirror, time.monotonic < totalDeadline { return .mirror }
        guard isLeft, attempts.mayRecover, let pause = pause(for: attempts.retryAfter) else { return nil }
        return .round(after: pause)
    }

    /// Records the failure of the source's own origin; the first cut of a body outlasts what its resumption meets.
    func record(_ result: Result<TransferResponse, TransferError>) {
        if !isMirror, resumption == nil || attempts.own == nil { attempts.own = result }
    }

    /// The result of a load: that of its last request.
    ///
    /// If a request for the rest of a body has failed, why the body was cut off; if one to a mirror has, the failure of the source's
    /// own origin.
    func final(_ result: Result<TransferResponse, TransferError>) -> Result<TransferResponse, TransferError> {
        if let resumption, case .failure = result { return .failure(resumption.failure) }
        guard isMirror, let own = attempts.own else { return result }
        switch result {
        case .failure: return own
        case .success(let response): return response.head.status >= 400 ? own : result
        }
    }

    /// Seconds for which the response asks not to be asked (RFC 9110 §10.2.3); 0 if it does not.
    private var retryAfter: Int64 {
        guard head.isComplete, head.status >= 500, let text = head.lines["retry-after"] else { return 0 }
        if let seconds = Int64(text) { return max(0, seconds) }
        return HTTPDate(text, now: time.wallSeconds).map { max(0, $0.seconds - time.wallSeconds) } ?? 0
    }

    /// Returns the nanoseconds before the next repetition: half of them fixed, half random, so that clients of an origin that has
    /// recovered do not return together.
    ///
    /// - Parameter seconds: the least pause in seconds.
    /// - Returns: `nil` if the pause is too long, or nobody would wait for its end.
    private func pause(for seconds: Int64 = 0) -> Int64? {
        guard seconds <= Self.longestPause / 1_000_000_000 else { return nil }
        let half = min(Self.longestPause, Self.firstPause << Int64(min(attempts.repetitions, 8))) / 2
        let jitter = Int64(Double(half) * min(max(configuration.random(), 0), 1))
        let pause = max(half, seconds * 1_000_000_000) + jitter
        let end = isPassedOn ? .max : min(totalDeadline, ticket.request.deadline ?? .max)
        return time.monotonic.addingReportingOverflow(pause).partialValue < end ? pause : nil
    }

    /// Prepares a request to one of the origins, from the beginning.
    func restart(at index: Int) {
        attempts.index = index
        url = attempts.urls[index]
        isTrusted = true
        redirects = 0
        hops = []
        (isPassedOn, isEndless) = (false, false)
        forgetBody()
        resetRequest()
    }

    /// Prepares another round.
    func restartRound() {
        attempts.repetitions += 1
        attempts.mayRecover = false
        attempts.retryAfter = 0
        restart(at: 0)
    }

    /// Discards the body as if it had never arrived.
    func forgetBody() {
        ticket.count(-received)
        dropBody()
        resumption = nil
        wholeLength = nil
        countedBytes = 0
    }
}
