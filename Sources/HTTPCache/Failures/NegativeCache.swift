package import LinuxSystem

/// A cache of failures, which are not retried for a while (SDWebImage's `failedURLs`); any thread.
///
/// When the back-off of a `.failing` entry ends, the entry is half-open: the first request probes the origin, and all others
/// get the stored failure until the probe completes. Entries of other classes simply expire. The cache is bounded and evicts
/// the oldest entry. Times are monotonic, so that no clock change can lock an origin out. Longer-lived failures are also stored
/// on disk.
package final class NegativeCache<Failure: CacheFailure>: Sendable {
    /// Whether a key may be tried now.
    package enum Verdict: Hashable, Sendable {
        /// No remembered failure applies.
        case clear
        /// The caller probes, and reports the outcome with `record`, `forget` or `giveUp`.
        case probe
        /// The key is backed off; the failure is `.remembered`.
        case blocked(Failure)
    }

    struct Entry: Sendable {
        var subject: PurgeSubject
        var url: String
        var plan: String?
        /// The class of the work that failed, whose failure applies to work of higher classes, too; `nil` for one key only.
        var work: WorkClass?
        var kind: FailureClass
        var error: Failure
        var failures: Int
        /// When the next attempt is allowed, in monotonic nanoseconds.
        var until: Int64
        /// When an unreported probe counts as given up, in monotonic nanoseconds; 0 without a probe.
        var probeEnds: Int64 = 0
        /// Whether the original had a stored response when it failed; serving it may be better than the failure.
        var hasStored: Bool
        /// Whether the entry is also on disk.
        var isKept: Bool
        var serial: UInt64
    }

    struct State: Sendable {
        var policy: FailurePolicy
        let keeper: (any FailureKeeping)?
        /// `nil` once the previous run's failures have been read, or if there are none.
        var restoration: FailureRestoration?
        var entries = BoxedTable<CacheKey, Entry>()
        /// The sum of the entries' sizes in bytes.
        var bytes = 0
        /// The keys with entries by the keys of other originals that they depend on, to find those of one original without a scan.
        var byOrigin: [CacheKey: Set<CacheKey>] = [:]
        /// The keys of entries with a class of work by their original's key, at most `mostClasses` each.
        var classes: [CacheKey: [CacheKey]] = [:]
        /// Entries, oldest first; elements whose entry was removed or replaced are skipped.
        var order = RingQueue<(key: CacheKey, serial: UInt64)>()
        var nextSerial: UInt64 = 0
        var hits: UInt64 = 0

        init(_ policy: FailurePolicy, _ keeper: (any FailureKeeping)?) {
            self.policy = policy
            self.keeper = keeper
            restoration = keeper == nil ? nil : FailureRestoration()
        }

        mutating func put(_ entry: Entry, for key: CacheKey) {
            bytes += entry.size - (entries[key]?.size ?? 0)
            entries[key] = entry
            if entry.work != nil { enterClass(key, entry.subject.origin) }
            for origin in Self.origins(of: entry) where origin != key { byOrigin[origin, default: []].insert(key) }
        }

        /// The originals whose change can invalidate the entry.
        private static func origins(of entry: Entry) -> [CacheKey] {
            [entry.subject.origin] + entry.subject.auxiliaries.map(\.origin)
        }

        /// The keys whose entries depend on an original, its own included.
        func keys(of origin: CacheKey) -> Set<CacheKey> { (byOrigin[origin] ?? []).union([origin]) }

        mutating func drop(_ key: CacheKey) {
            restoration?.keys.insert(key)
            guard let entry = entries.removeValue(forKey: key) else { return }
            bytes -= entry.size
            if entry.isKept { keeper?.discardFailure(key) }
            if entry.work != nil { leaveClass(key, entry.subject.origin) }
            for origin in Self.origins(of: entry) where origin != key {
                byOrigin[origin]?.remove(key)
                if byOrigin[origin]?.isEmpty == true { byOrigin[origin] = nil }
            }
        }
    }

    let time: any TimeSource
    private let keeper: (any FailureKeeping)?
    let state: Lock<State>

    /// How long an unreported probe lasts: longer than any transfer.
    static var longestProbe: Int64 { 120_000_000_000 }
    /// The number of characters of a URL and of a plan that are stored for display.
    private static var shownLength: Int { 512 }

    /// The shortest lifetime that is stored on disk, in seconds.
    private static var shortestKept: Int64 { 10 }

    /// Creates an empty cache.
    ///
    /// - Parameter keeper: persistent storage; `restore` or `skipRestore` must be called afterwards.
    package init(policy: FailurePolicy, time: any TimeSource, keeper: (any FailureKeeping)? = nil) {
        self.time = time
        self.keeper = keeper
        state = Lock(State(policy, keeper))
    }

    /// Whether the cache has persistent storage.
    package var hasKept: Bool { keeper != nil }

    /// Whether the previous run's failures are still to be read.
    package var isRestoring: Bool { state.withLock { $0.restoration != nil } }

    /// Reads the previous run's failures, except those of another configuration or superseded since the start; blocks.
    ///
    /// A restored failure lasts no longer than a new one would, so that no clock change can lock an origin out.
    package func restore() {
        guard let keeper else { return }
        let kept = keeper.keptFailures(limit: state.withLock { $0.policy.entries })
        let (now, wall) = (time.monotonic, time.wallSeconds)
        state.withLock { state in
            let restoration = state.restoration.take() ?? FailureRestoration()
            // Oldest first, to preserve the order of insertion.
            for failure in kept.reversed() {
                guard let error = Failure(word: failure.word, payload: failure.payload) else { continue }
                var subject = failure.subject
                let longest =
                    failure.kind == .missing ? FailurePolicy.longestStated : state.policy.seconds(failure.kind)
                let left = min(failure.until - min(wall, failure.until), longest)
                guard left > 0, failure.isValid(under: state.policy), state.entries[failure.key] == nil,
                    restoration.allows(failure, subject)
                else {
                    if state.entries[failure.key]?.isKept != true { keeper.discardFailure(failure.key) }
                    continue
                }
                subject.plan = nil
                state.nextSerial += 1
                let entry = Entry(
                    subject: subject,
                    url: failure.url,
                    plan: failure.plan,
                    kind: failure.kind,
                    error: error,
                    failures: failure.failures,
                    until: now + left * 1_000_000_000,
                    hasStored: failure.hasStored,
                    isKept: true,
                    serial: state.nextSerial
                )
                state.put(entry, for: failure.key)
                state.order.append((failure.key, state.nextSerial))
            }
            Self.trim(&state)
        }
    }

    /// Leaves the previous run's failures in storage without reading them.
    package func skipRestore() { state.withLock { $0.restoration = nil } }

    /// Sets the policy; periods apply to new failures.
    package func setPolicy(_ policy: FailurePolicy) {
        state.withLock { state in
            state.policy = policy
            Self.trim(&state)
        }
    }

    /// The number of seconds for which a 404 or 410 is remembered if the origin states no lifetime.
    package var lifetimeOfMissing: Int64 { state.withLock { $0.policy.missing } }

    /// The bytes that the entries occupy, at most.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// The number of entries, and how often a failure was returned instead of an attempt.
    package var statistics: (entries: Int, hits: UInt64) { state.withLock { ($0.entries.count, $0.hits) } }

    /// Decides whether the caller may try a key now; makes it the probe if the entry is half-open.
    package func admit(_ key: CacheKey) -> Verdict {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key] else { return .clear }
            guard entry.until <= now, entry.probeEnds <= now else {
                state.hits &+= 1
                return .blocked(Self.failure(entry, now))
            }
            guard entry.kind == .failing else {
                state.drop(key)
                return .clear
            }
            state.entries[key]?.probeEnds = now + Self.longestProbe
            return .probe
        }
    }

    /// Like `admit`, but never makes the caller a probe; for callers that do not try.
    package func verdict(_ key: CacheKey) -> Verdict {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.until > now || entry.probeEnds > now else { return .clear }
            state.hits &+= 1
            return .blocked(Self.failure(entry, now))
        }
    }

    /// The failure for which a key is backed off, if its original had no stored response; never starts a probe.
    package func certainFailure(_ key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], !entry.hasStored else { return nil }
            guard entry.until > now || entry.probeEnds > now else { return nil }
            state.hits &+= 1
            return Self.failure(entry, now)
        }
    }

    /// The failure for which a key is backed off, regardless of stored responses; neither counts as a hit nor starts a probe.
    package func backoffError(for key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.until > now || entry.probeEnds > now else { return nil }
            return entry.error
        }
    }

    /// The failure of a key in class `.failing` whose back-off has not ended.
    package func outage(_ key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.kind == .failing, entry.until > now else { return nil }
            state.hits &+= 1
            return Self.failure(entry, now)
        }
    }

    /// Whether a key's next attempt is a probe, for which other requests must not wait.
    package func isProbed(_ key: CacheKey) -> Bool { state.withLock { $0.entries[key]?.kind == .failing } }

    /// Stores a failure that predicts the next attempt; ignores others.
    ///
    /// - Parameters:
    ///   - subject: the original, and the other originals that may have caused the failure. A failure with others is stored in
    ///     memory only, and removed when one of them has a new body.
    ///   - url: the requested URL, for display.
    ///   - work: the class of the work that failed, to which the key belongs; `nil` if the failure applies to the key alone.
    ///   - hasStored: whether the original has a stored response.
    package func record(
        _ key: CacheKey,
        _ error: Failure,
        about subject: PurgeSubject,
        url: String,
        plan: String? = nil,
        work: WorkClass? = nil,
        hints: RetryHints = RetryHints(),
        hasStored: Bool = false
    ) {
        guard let kind = error.traits.failureClass else { return }
        let (now, wall) = (time.monotonic, time.wallSeconds)
        state.withLock { state in
            let before = state.entries[key]
            let failures = before?.kind == kind ? (before?.failures ?? 0) + 1 : 1
            let seconds = state.policy.seconds(
                kind,
                failures: failures,
                hints: hints,
                spread: UInt8(truncatingIfNeeded: key.words.3)
            )
            guard seconds > 0 else {
                state.drop(key)
                return
            }
            if before == nil { state.nextSerial += 1 }
            let serial = before?.serial ?? state.nextSerial
            let isKept =
                state.keeper != nil && work == nil && kind.survivesRestart && seconds >= Self.shortestKept
                && subject.auxiliaries.isEmpty
            let entry = Entry(
                subject: subject,
                url: url == subject.url ? subject.url : String(url.prefix(Self.shownLength)),
                plan: plan.map { String($0.prefix(Self.shownLength)) },
                work: work,
                kind: kind,
                error: error,
                failures: failures,
                until: now + min(seconds, Int64(Int32.max)) * 1_000_000_000,
                hasStored: hasStored,
                isKept: isKept,
                serial: serial
            )
            state.put(entry, for: key)
            if isKept {
                let end = wall + min(seconds, Int64(Int32.max))
                if let kept = Self.kept(key, entry, until: end, state.policy) { state.keeper?.keep(kept) }
            } else if before?.isKept == true {
                state.keeper?.discardFailure(key)
            }
            if before == nil { state.order.append((key, serial)) }
            Self.trim(&state)
        }
    }

    /// Removes a key's entry after a successful attempt.
    package func forget(_ key: CacheKey) { state.withLock { $0.drop(key) } }

    /// Removes the entries of an original's variants because the original has a new body, from which they may succeed.
    package func forgetVariants(of origin: CacheKey) {
        state.withLock { state in
            state.restoration?.origins.insert(origin)
            for key in state.byOrigin[origin] ?? [] where key != origin { state.drop(key) }
        }
    }

    /// Ends a probe without an outcome: the next request may probe.
    package func giveUp(_ key: CacheKey) { state.withLock { $0.entries[key]?.probeEnds = 0 } }

    /// Removes the entries that a purge selects, including those of variants.
    ///
    /// - Returns: the number of removed entries.
    @discardableResult
    package func remove(_ selection: PurgeSelection) -> Int {
        state.withLock { state in
            let before = state.entries.count
            state.restoration?.purges.append(selection)
            if case .originals(let origins) = selection {
                for key in origins.flatMap(state.keys) { state.drop(key) }
            } else {
                for (key, entry) in state.entries {
                    var subject = entry.subject
                    subject.plan = entry.plan
                    if selection.covers(subject) == true { state.drop(key) }
                }
            }
            return before - state.entries.count
        }
    }

    /// The remembered failures, those with the latest expiry first.
    ///
    /// - Parameter limit: the maximum number of results.
    package func list(limit: Int) -> [RememberedFailure<Failure>] {
        let now = time.monotonic
        // Copy under the lock, sort without it.
        let entries = state.withLock { Array($0.entries.values) }
        return entries.sorted { $0.until > $1.until }.prefix(limit).map { entry in
            RememberedFailure(
                url: entry.url,
                plan: entry.plan,
                work: entry.work?.description,
                source: entry.subject.source,
                kind: entry.kind,
                error: entry.error,
                failures: entry.failures,
                secondsLeft: max(0, entry.until - now) / 1_000_000_000,
                isBeingTried: entry.probeEnds > now
            )
        }
    }

    /// The persistent form of an entry.
    private static func kept(_ key: CacheKey, _ entry: Entry, until: Int64, _ policy: FailurePolicy) -> KeptFailure? {
        guard let (word, payload) = entry.error.text else { return nil }
        return KeptFailure(
            key: key,
            origin: entry.subject.origin,
            source: entry.subject.source,
            identity: entry.subject.url,
            url: entry.url,
            plan: entry.plan,
            kind: entry.kind,
            word: word,
            payload: payload,
            failures: entry.failures,
            until: until,
            hasStored: entry.hasStored,
            configuration: policy.configuration
        )
    }

    static func failure(_ entry: Entry, _ now: Int64) -> Failure {
        // The outcome of a probe is unknown: suggest a retry in a second.
        .remembered(entry.error, secondsLeft: max(1, (entry.until - now + 999_999_999) / 1_000_000_000))
    }

    private static func trim(_ state: inout State) {
        while state.entries.count > state.policy.entries || state.bytes > state.policy.bytes,
            let oldest = state.order.popFirst()
        {
            if state.entries[oldest.key]?.serial == oldest.serial { state.drop(oldest.key) }
        }
        guard state.order.count > 2 * state.entries.count + 1024 else { return }
        var order = RingQueue<(key: CacheKey, serial: UInt64)>()
        while let next = state.order.popFirst() {
            if state.entries[next.key]?.serial == next.serial { order.append(next) }
        }
        state.order = order
    }
}
