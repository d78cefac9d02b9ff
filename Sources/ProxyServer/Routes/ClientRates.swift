import HTTPKit
import HTTPSemantics
import LinuxSystem

/// Bounds how many requests of one client or of one signing key the caches in memory cannot answer (`clients.rate`,
/// `signing.rate`).
///
/// A token bucket per account, which holds ten seconds' worth. Any thread.
final class ClientRates: Sendable {
    /// The seconds over which the rate is averaged.
    static let window: Int64 = 10
    /// The maximum number of accounts per window; further ones share a bucket.
    static let largestCount = 65_536

    private struct Bucket {
        /// What may still be requested, in billionths of a request.
        var left: Int64
        /// When that was true, in monotonic nanoseconds.
        var time: Int64
    }

    private struct State: Sendable {
        var recent: [String: Bucket] = [:]
        /// The buckets used in the window before; one that was not used for a whole window is full, and is forgotten.
        var former: [String: Bucket] = [:]
        var start: Int64 = 0
    }

    private let state = Lock(State())
    private let largestCount: Int
    private let unnamed: @Sendable (_ now: Int64) -> Void

    /// Creates empty buckets.
    ///
    /// - Parameter unnamed: called with the monotonic nanoseconds of each request whose client is not known; must not block.
    init(
        largestCount: Int = ClientRates.largestCount,
        unnamed: @escaping @Sendable (_ now: Int64) -> Void = { _ in }
    ) {
        self.largestCount = largestCount
        self.unnamed = unnamed
    }

    /// Takes a request from its client's bucket.
    ///
    /// Clients that are not known are not limited: all requests of a proxy or Unix socket that does not name them would share one
    /// bucket, and one client could use up what the others may request.
    ///
    /// - Parameter rate: requests a second; 0 for no limit.
    /// - Returns: `nil` if it may proceed, otherwise the seconds until one may, at least 1.
    func delay(of context: RequestContext, rate: Int) -> Int? {
        guard !context.isUnnamed else {
            unnamed(context.monotonic)
            return nil
        }
        return delay(of: context.peer, rate: rate, now: context.monotonic)
    }

    /// Takes a request from the bucket of the key that has signed it, a second account beside its client's.
    ///
    /// - Parameters:
    ///   - key: the key's number in the site, from 1.
    ///   - rate: requests a second; 0 for no limit.
    ///   - now: monotonic nanoseconds.
    /// - Returns: `nil` if it may proceed, otherwise the seconds until one may, at least 1.
    func delay(ofKey key: Int, in site: String, rate: Int, now: Int64) -> Int? {
        // No address has this form.
        delay(of: "key \(key) \(site)", rate: rate, now: now)
    }

    /// Takes a request from a client's bucket.
    ///
    /// Clients on Unix sockets are not limited: their addresses are not known.
    ///
    /// - Parameters:
    ///   - rate: requests a second; 0 for no limit.
    ///   - now: monotonic nanoseconds.
    /// - Returns: `nil` if it may proceed, otherwise the seconds until one may, at least 1.
    func delay(of peer: PeerAddress, rate: Int, now: Int64) -> Int? {
        guard rate > 0, peer.family != .unix else { return nil }
        return delay(of: peer.account, rate: rate, now: now)
    }

    private func delay(of name: String, rate: Int, now: Int64) -> Int? {
        guard rate > 0 else { return nil }
        let second: Int64 = 1_000_000_000
        let depth = Int64(rate) * Self.window * second
        let missing = state.withLock { state -> Int64 in
            if now - state.start >= Self.window * second {
                let isRecent = now - state.start < 2 * Self.window * second
                state.former = isRecent ? state.recent : [:]
                state.recent = [:]
                state.start = now
            }
            var account = name
            var bucket = state.recent[account] ?? state.former[account]
            if bucket == nil, state.recent.count >= largestCount {
                account = ""
                bucket = state.recent[account]
            }
            var current = bucket ?? Bucket(left: depth, time: now)
            let earned = (now - current.time).multipliedReportingOverflow(by: Int64(rate))
            current.left = earned.overflow ? depth : min(depth, current.left + min(depth, earned.partialValue))
            current.time = now
            let missing = max(0, second - current.left)
            if missing == 0 { current.left -= second }
            state.recent[account] = current
            return missing
        }
        guard missing > 0 else { return nil }
        let perSecond = Int64(rate) * second
        return Int((missing + perSecond - 1) / perSecond)
    }
}

extension Problem {
    /// The refusal of a request whose signing key has used up `signing.rate`, with when another one may succeed.
    static func tooManyRequestsOfKey(after seconds: Int) -> Problem {
        Problem(429, "Too many requests that are not cached are signed with this key.", retryAfter: seconds).ofSource
    }

    /// The refusal of a client that exceeds `clients.rate`, with when it may return.
    static func tooManyRequests(after seconds: Int) -> Problem {
        Problem(429, "This client sends too many requests that are not cached.", retryAfter: seconds).ofSource
    }
}

/// The fields of a 429 (draft-ietf-httpapi-ratelimit-headers §3, §4).
enum RateLimitFields {
    /// Encodes `RateLimit-Policy`, the quota of the window, and `RateLimit`, the seconds until a request may succeed.
    ///
    /// - Parameter policy: whose quota it is, `client` or `key`.
    static func bytes(of policy: String = "client", rate: Int, seconds: Int) -> [UInt8] {
        var block = FieldBlock()
        let window = ClientRates.window
        block.append("RateLimit-Policy", "\"\(policy)\";q=\(rate * Int(window));w=\(window)")
        block.append("RateLimit", "\"\(policy)\";r=0;t=\(seconds)")
        return block.bytes
    }
}

extension ClientRates {
    /// The refusal of a request whose signing key has used up `signing.rate` of its site; `nil` to proceed.
    ///
    /// - Parameter key: the key, counted from 1.
    func refusal(
        ofKey key: Int,
        of site: Site,
        _ context: RequestContext,
        vary: VaryFields = []
    ) -> Response? {
        let rate = site.resolver.permission?.rate ?? 0
        guard let delay = delay(ofKey: key, in: site.name, rate: rate, now: context.monotonic) else { return nil }
        return Response(.tooManyRequestsOfKey(after: delay), vary: vary, id: context.trace.id)
            .with(RateLimitFields.bytes(of: "key", rate: rate, seconds: delay))
    }
}
