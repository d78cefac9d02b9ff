package import LinuxSystem

/// Failures that are not tried again for a while (SDWebImage's `failedURLs`); any thread.
///
/// When the pause of a failing origin is over its entry is half-open: the first who asks tries, all others get the stored failure
/// until that one knows more. Entries of other classes are over when their time is. Bounded: the oldest entry goes first. Times are
/// monotonic, so that no jump of the clock locks an origin out. What lasts longer than a restart is kept on disk as well.
package final class NegativeCache<Failure: CacheFailure>: Sendable {
    /// What a key's past means for who would try now.
    package enum Verdict: Hashable, Sendable {
        /// Nothing is remembered that still counts.
        case clear
        /// This one tries, and says with `record`, `forget` or `giveUp` what came of it.
        case probe
        /// Not now: the failure, as `.remembered`.
        case blocked(Failure)
    }

    private struct Entry: Sendable {
        var subject: PurgeSubject
        var url: String
        var plan: String?
        var kind: FailureClass
        var error: Failure
        var failures: Int
        /// Monotonic nanoseconds from which on one may try.
        var until: Int64
        /// Monotonic nanoseconds after which a try that was never heard of again counts as given up; 0 without one.
        var probeEnds: Int64 = 0
        /// Whether something of the original was stored when it failed: then there may be better than the failure.
        var hasStored: Bool
        /// Whether it is on disk as well.
        var isKept: Bool
        var serial: UInt64
    }

    /// What has been decided while the failures of the last run were still being read: it is newer than they are.
    private struct Restoration: Sendable {
        var keys: Set<CacheKey> = []
        var origins: Set<CacheKey> = []
        var purges: [PurgeSelection] = []

        func allows(_ failure: KeptFailure, _ subject: PurgeSubject) -> Bool {
            !keys.contains(failure.key) && !(origins.contains(failure.origin) && failure.key != failure.origin)
                && purges.allSatisfy { $0.covers(subject) == false }
        }
    }

    private struct State: Sendable {
        var policy: FailurePolicy
        let keeper: (any FailureKeeping)?
        /// `nil` once the last run's failures are read in, or where there are none.
        var restoration: Restoration?
        var entries: [CacheKey: Entry] = [:]
        /// The keys with an entry by their original's key, so that one original's are found without looking at all.
        var byOrigin: [CacheKey: Set<CacheKey>] = [:]
        /// Oldest first; members whose entry is gone, or newer, are skipped.
        var order = RingQueue<(key: CacheKey, serial: UInt64)>()
        var nextSerial: UInt64 = 0
        var hits: UInt64 = 0

        init(_ policy: FailurePolicy, _ keeper: (any FailureKeeping)?) {
            self.policy = policy
            self.keeper = keeper
            restoration = keeper == nil ? nil : Restoration()
        }

        mutating func put(_ entry: Entry, for key: CacheKey) {
            entries[key] = entry
            for origin in Self.origins(of: entry) { byOrigin[origin, default: []].insert(key) }
        }

        /// The originals whose change may end it.
        private static func origins(of entry: Entry) -> [CacheKey] {
            [entry.subject.origin] + entry.subject.ingredients.map(\.origin)
        }

        mutating func drop(_ key: CacheKey) {
            restoration?.keys.insert(key)
            guard let entry = entries.removeValue(forKey: key) else { return }
            if entry.isKept { keeper?.discardFailure(key) }
            for origin in Self.origins(of: entry) {
                byOrigin[origin]?.remove(key)
                if byOrigin[origin]?.isEmpty == true { byOrigin[origin] = nil }
            }
        }
    }

    private let time: any TimeSource
    private let keeper: (any FailureKeeping)?
    private let state: Lock<State>

    /// A try that is never heard of again ends after this long: longer than transfers take.
    private static var longestProbe: Int64 { 120_000_000_000 }
    /// Bytes of a URL and of a plan that are kept, for people to read.
    private static var shownLength: Int { 512 }

    /// The shortest time that is worth a row on disk, in seconds.
    private static var shortestKept: Int64 { 10 }

    /// Remembers nothing yet.
    ///
    /// - Parameter keeper: where failures outlive the process; `restore` or `skipRestore` must follow.
    package init(policy: FailurePolicy, time: any TimeSource, keeper: (any FailureKeeping)? = nil) {
        self.time = time
        self.keeper = keeper
        state = Lock(State(policy, keeper))
    }

    /// Whether failures of an earlier run may be kept somewhere.
    package var hasKept: Bool { keeper != nil }

    /// Whether what the last run has kept is still to be read in.
    package var isRestoring: Bool { state.withLock { $0.restoration != nil } }

    /// Reads in what the last run has kept, but for what has been decided since the start; blocks.
    ///
    /// A failure lasts no longer than one of now would: no clock can lock an origin out.
    package func restore() {
        guard let keeper else { return }
        let limit = state.withLock { $0.policy.entries }
        let kept = keeper.keptFailures(limit: limit)
        let (now, wall) = (time.monotonic, time.wallSeconds)
        state.withLock { state in
            let restoration = state.restoration.take() ?? Restoration()
            // Oldest first, so that the order is that in which they came.
            for failure in kept.reversed() {
                guard let error = Failure(word: failure.word, payload: failure.payload) else { continue }
                var subject = PurgeSubject(origin: failure.origin, source: failure.source, url: failure.identity)
                subject.plan = failure.plan
                let longest =
                    failure.kind == .missing ? FailurePolicy.longestStated : state.policy.seconds(failure.kind)
                let left = min(failure.until - min(wall, failure.until), longest)
                guard left > 0, state.entries[failure.key] == nil, restoration.allows(failure, subject) else {
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

    /// Leaves what the last run has kept where it is.
    package func skipRestore() { state.withLock { $0.restoration = nil } }

    /// Lets other times hold from the next failure on.
    package func setPolicy(_ policy: FailurePolicy) {
        state.withLock { state in
            state.policy = policy
            Self.trim(&state)
        }
    }

    /// Seconds for which a 404 or 410 is remembered whose origin states no lifetime.
    package var lifetimeOfMissing: Int64 { state.withLock { $0.policy.missing } }

    /// Failures that are remembered now, and how often one was given instead of a try.
    package var statistics: (entries: Int, hits: UInt64) { state.withLock { ($0.entries.count, $0.hits) } }

    /// What a key's past means for who would try now.
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

    /// What a key's past means for who would not try anyway.
    package func verdict(_ key: CacheKey) -> Verdict {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.until > now || entry.probeEnds > now else { return .clear }
            state.hits &+= 1
            return .blocked(Self.failure(entry, now))
        }
    }

    /// The failure of a key where nothing that is stored can be better; nobody is let through by this question.
    package func certainFailure(_ key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], !entry.hasStored else { return nil }
            guard entry.until > now || entry.probeEnds > now else { return nil }
            state.hits &+= 1
            return Self.failure(entry, now)
        }
    }

    /// The failure for which a key is not tried now, whatever is stored; neither counted as an answer nor letting anybody through.
    package func backoffError(for key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.until > now || entry.probeEnds > now else { return nil }
            return entry.error
        }
    }

    /// The failure of an origin in trouble, which is left alone until its pause is over.
    package func outage(_ key: CacheKey) -> Failure? {
        let now = time.monotonic
        return state.withLock { state in
            guard let entry = state.entries[key], entry.kind == .failing, entry.until > now else { return nil }
            state.hits &+= 1
            return Self.failure(entry, now)
        }
    }

    /// Whether a key's next try is one that others are not to wait for.
    package func isProbed(_ key: CacheKey) -> Bool { state.withLock { $0.entries[key]?.kind == .failing } }

    /// Remembers a failure that says something about the next try.
    ///
    /// - Parameters:
    ///   - subject: the original, and the others that it may be the failure of: those are kept in memory alone, and gone with a
    ///     new body of theirs.
    ///   - url: the URL as it was asked, for people to read.
    ///   - hasStored: whether something of it is stored all the same.
    package func record(
        _ key: CacheKey,
        _ error: Failure,
        about subject: PurgeSubject,
        url: String,
        plan: String? = nil,
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
                state.keeper != nil && kind != .failing && seconds >= Self.shortestKept && subject.ingredients.isEmpty
            let entry = Entry(
                subject: subject,
                url: String(url.prefix(Self.shownLength)),
                plan: plan.map { String($0.prefix(Self.shownLength)) },
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
                if let kept = Self.kept(key, entry, until: end) { state.keeper?.keep(kept) }
            } else if before?.isKept == true {
                state.keeper?.discardFailure(key)
            }
            if before == nil { state.order.append((key, serial)) }
            Self.trim(&state)
        }
    }

    /// A try has succeeded.
    package func forget(_ key: CacheKey) { state.withLock { $0.drop(key) } }

    /// Another body of an original has come: what could not be made of the last one may be made of this.
    package func forgetVariants(of origin: CacheKey) {
        state.withLock { state in
            state.restoration?.origins.insert(origin)
            for key in state.byOrigin[origin] ?? [] where key != origin { state.drop(key) }
        }
    }

    /// A try ended without a result: the next who asks may try.
    package func giveUp(_ key: CacheKey) { state.withLock { $0.entries[key]?.probeEnds = 0 } }

    /// Forgets what is remembered of a selection, variants included.
    ///
    /// - Returns: how many failures that were.
    @discardableResult
    package func remove(_ selection: PurgeSelection) -> Int {
        state.withLock { state in
            let before = state.entries.count
            state.restoration?.purges.append(selection)
            if case .originals(let origins) = selection {
                for key in origins.flatMap({ state.byOrigin[$0] ?? [] }) { state.drop(key) }
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

    /// What is remembered, the longest first.
    ///
    /// - Parameter limit: the most that are returned.
    package func list(limit: Int) -> [RememberedFailure<Failure>] {
        let now = time.monotonic
        // Copied under the lock, sorted without it.
        let entries = state.withLock { Array($0.entries.values) }
        return entries.sorted { $0.until > $1.until }.prefix(limit).map { entry in
            RememberedFailure(
                url: entry.url,
                plan: entry.plan,
                source: entry.subject.source,
                kind: entry.kind,
                error: entry.error,
                failures: entry.failures,
                secondsLeft: max(0, entry.until - now) / 1_000_000_000,
                isBeingTried: entry.probeEnds > now
            )
        }
    }

    /// A failure as it is kept.
    private static func kept(_ key: CacheKey, _ entry: Entry, until: Int64) -> KeptFailure? {
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
            hasStored: entry.hasStored
        )
    }

    private static func failure(_ entry: Entry, _ now: Int64) -> Failure {
        // While somebody tries there is no telling; a second from now all will know.
        .remembered(entry.error, secondsLeft: max(1, (entry.until - now + 999_999_999) / 1_000_000_000))
    }

    private static func trim(_ state: inout State) {
        while state.entries.count > state.policy.entries, let oldest = state.order.popFirst() {
            if state.entries[oldest.key]?.serial == oldest.serial { state.drop(oldest.key) }
        }
        guard state.order.count > 2 * state.policy.entries + 1024 else { return }
        var order = RingQueue<(key: CacheKey, serial: UInt64)>()
        while let next = state.order.popFirst() {
            if state.entries[next.key]?.serial == next.serial { order.append(next) }
        }
        state.order = order
    }
}
