import LinuxSystem

/// Failures that apply to all work of at least their cost, such as timeouts.
extension NegativeCache {
    /// The maximum number of classes of work that are remembered for an original; the one whose back-off ends first is evicted to
    /// make room.
    package static var mostClasses: Int { 16 }

    /// Decides whether work on an original may be tried now.
    ///
    /// Failures of cheaper work block it during their back-off. After the back-off of its own class it probes, as in `admit(_:)`;
    /// the probe's key is `work.failureKey(of: origin)`.
    package func admit(_ work: WorkClass, on origin: CacheKey) -> Verdict {
        let now = time.monotonic
        let own = work.failureKey(of: origin)
        return state.withLock { state in
            var last: Entry?
            for key in state.classes[origin] ?? [] {
                guard let entry = state.entries[key], let known = entry.work, known.isAtMost(work),
                    entry.until > now || key == own && entry.probeEnds > now
                else { continue }
                if entry.until >= last?.until ?? .min { last = entry }
            }
            if let last {
                state.hits &+= 1
                return .blocked(Self.failure(last, now))
            }
            guard state.entries[own] != nil else { return .clear }
            state.entries[own]?.probeEnds = now + Self.longestProbe
            return .probe
        }
    }

    /// Removes the failures of work that is at most as costly, after a successful attempt.
    package func forget(_ work: WorkClass, on origin: CacheKey) {
        state.withLock { state in
            for key in state.classes[origin] ?? [] where state.entries[key]?.work?.isAtMost(work) == true {
                state.drop(key)
            }
        }
    }

    /// Whether failures of classes of work on an original are remembered.
    package func hasClasses(of origin: CacheKey) -> Bool { state.withLock { $0.classes[origin] != nil } }
}

extension NegativeCache.State {
    /// Enters the key of an entry with a class of work, and evicts another class of the original if it has too many.
    mutating func enterClass(_ key: CacheKey, _ origin: CacheKey) {
        var known = classes[origin] ?? []
        guard !known.contains(key) else { return }
        if known.count >= NegativeCache.mostClasses {
            let first = known.min { entries[$0]?.until ?? 0 < entries[$1]?.until ?? 0 }
            if let first { drop(first) }
            known = classes[origin] ?? []
        }
        classes[origin] = known + [key]
    }

    /// Removes the key of an entry with a class of work.
    mutating func leaveClass(_ key: CacheKey, _ origin: CacheKey) {
        classes[origin]?.removeAll { $0 == key }
        if classes[origin]?.isEmpty == true { classes[origin] = nil }
    }
}
