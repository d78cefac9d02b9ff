import LinuxSystem

/// Work under way for one key, and who waits for it; any thread.
package final class Flight<Value: Sendable, Failure: CacheFailure>: Sendable {
    package let key: CacheKey
    /// What it is about; `nil` for what no purge is about.
    package let subject: PurgeSubject?
    private let pool: TaskPool<Value, Failure>
    private let state = Lock(FlightState<Value, Failure>())
    /// Held while results are published, so that a purge comes wholly before or wholly after.
    private let purges = Lock(Purges())

    private struct Purges: Sendable {
        /// Whether one was certainly about it.
        var isPurged = false
        /// Those that may have been about it: the origin's answer tells.
        var suspicions: [PurgeSelection] = []
    }

    init(key: CacheKey, subject: PurgeSubject?, pool: TaskPool<Value, Failure>) {
        self.key = key
        self.subject = subject
        self.pool = pool
    }

    /// Whether a result may be kept now: nothing it is about has been purged since the flight began.
    package var mayPublish: Bool { publish { true } ?? false }

    /// Whether a purge is about it; `nil` where only the origin's answer can tell.
    func isAbout(_ selection: PurgeSelection) -> Bool? {
        guard let subject else { return false }
        return selection.covers(subject)
    }

    /// Does what makes a result be kept, unless its subject has been purged since the flight began.
    ///
    /// - Parameter record: of the original that it is, or is made of.
    /// - Returns: what was done, `nil` where nothing was: the result is for those who wait already, and for nobody else.
    package func publish<Result>(of record: OriginRecord? = nil, _ body: () -> Result) -> Result? {
        purges.withLock { purges in
            guard !purges.isPurged else { return nil }
            if !purges.suspicions.isEmpty {
                let about = record.flatMap { subject?.known($0) } ?? subject
                let isPurged = purges.suspicions.contains { about.map($0.covers) != .some(.some(false)) }
                if isPurged { return nil }
            }
            return body()
        }
    }

    /// Lets nothing that comes of the flight and belongs to a selection be kept; returns when what is being published is.
    func purge(_ selection: PurgeSelection) {
        switch isAbout(selection) {
        case true: purges.withLock { $0.isPurged = true }
        case nil: purges.withLock { $0.suspicions.append(selection) }
        default: break
        }
    }

    /// Lets nobody join it any more; who waits already still gets its outcome.
    package func detach() { pool.detach(self) }

    /// Ends the flight: it leaves the pool, and every waiter gets the outcome.
    ///
    /// A second call does nothing.
    package func finish(_ outcome: Result<Value, Failure>) {
        // First out of the pool, so that a request that comes now starts anew instead of joining what is over.
        pool.remove(self)
        let waiters = state.withLock { $0.end() }
        let round = Delivery.Round()
        for entry in waiters { entry.waiter(outcome, Delivery(isCollapsed: entry.collapsed, round: round)) }
        round.end()
    }

    /// Says how to give up when the last waiter has left.
    ///
    /// - Parameters:
    ///   - worthFinishing: asked whenever nobody waits any more; `true` lets the work go on without waiters, as SDWebImage's
    ///     ContinueInBackground, and it may still be joined.
    ///   - cancel: stops the work; called at most once, after the flight has left the pool.
    package func onAbandon(
        unless worthFinishing: @escaping @Sendable () -> Bool,
        cancel: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            guard !state.ended else { return }
            state.abandonment = Abandonment(worthFinishing: worthFinishing, cancel: cancel)
        }
        abandonIfAlone()
    }

    /// Whether the flight has ended or been abandoned: work for it is in vain.
    package var isOver: Bool { state.withLock { $0.ended } }

    /// Calls a waiter for which there is no flight.
    static func refuse(_ waiter: TaskPool<Value, Failure>.Waiter, _ reason: String) {
        let round = Delivery.Round()
        waiter(.failure(.overloaded(reason)), Delivery(isCollapsed: false, round: round))
        round.end()
    }

    package func addFirst(_ waiter: @escaping TaskPool<Value, Failure>.Waiter) -> Subscription {
        let number = state.withLock { $0.insert(waiter, collapsed: false) }
        return Subscription { [weak self] in self?.leave(number) }
    }

    func add(_ waiter: @escaping TaskPool<Value, Failure>.Waiter, limit: Int) -> WaiterAdmission {
        let number: Int? = state.withLock { state in
            if state.ended { return -1 }
            return state.waiters.count < limit ? state.insert(waiter, collapsed: true) : nil
        }
        switch number {
        case nil: return .full
        case -1: return .ended
        case let number?: return .added(Subscription { [weak self] in self?.leave(number) })
        }
    }

    private func leave(_ number: Int) {
        let left = state.withLock { $0.waiters.removeValue(forKey: number) != nil }
        if left { abandonIfAlone() }
    }

    private func abandonIfAlone() {
        let abandonment = state.withLock { $0.waiters.isEmpty && !$0.ended ? $0.abandonment : nil }
        guard let abandonment, !abandonment.worthFinishing() else { return }
        // Somebody may have joined while the question was asked: only an empty flight ends here.
        let ended = state.withLock { state -> Bool in
            guard state.waiters.isEmpty, !state.ended else { return false }
            _ = state.end()
            return true
        }
        guard ended else { return }
        pool.remove(self)
        abandonment.cancel()
    }
}

/// How an outcome reaches one of a flight's waiters.
package struct Delivery: Sendable {
    /// Whether the waiter joined a flight that was already under way.
    package let isCollapsed: Bool
    private let round: Round

    fileprivate init(isCollapsed: Bool, round: Round) {
        self.isCollapsed = isCollapsed
        self.round = round
    }

    /// Runs work once all waiters have been called, so that what they ask for can be gathered; at once where they have been.
    package func afterAll(_ work: @escaping @Sendable () -> Void) { round.add(work) }

    /// The delivery of one outcome to all waiters.
    fileprivate final class Round: Sendable {
        /// `nil` once all waiters have been called.
        private let work = Lock<[@Sendable () -> Void]?>([])

        func add(_ more: @escaping @Sendable () -> Void) {
            let isOver = work.withLock { work in
                work?.append(more)
                return work == nil
            }
            if isOver { more() }
        }

        func end() {
            for more in work.withLock({ $0.take() }) ?? [] { more() }
        }
    }
}

/// What came of a waiter that wants to join a flight.
enum WaiterAdmission {
    case added(Subscription)
    case full
    case ended
}

private struct Abandonment: Sendable {
    var worthFinishing: @Sendable () -> Bool
    var cancel: @Sendable () -> Void
}

private struct FlightState<Value: Sendable, Failure: CacheFailure>: Sendable {
    struct Entry: Sendable {
        var waiter: TaskPool<Value, Failure>.Waiter
        var collapsed: Bool
    }

    /// By number, which is the order of arrival.
    var waiters: [Int: Entry] = [:]
    var nextNumber = 0
    var ended = false
    var abandonment: Abandonment?

    mutating func insert(_ waiter: @escaping TaskPool<Value, Failure>.Waiter, collapsed: Bool) -> Int {
        defer { nextNumber += 1 }
        waiters[nextNumber] = Entry(waiter: waiter, collapsed: collapsed)
        return nextNumber
    }

    /// Marks the end and hands out who waited, in the order of arrival; nobody the second time.
    mutating func end() -> [Entry] {
        guard !ended else { return [] }
        ended = true
        abandonment = nil
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
