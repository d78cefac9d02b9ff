package import HTTPSemantics
import LinuxSystem
import Synchronization

/// A piece of work in progress for one cache key, shared by all its waiters; any thread.
package final class Flight<Value: Sendable, Failure: CacheFailure>: Sendable {
    package let key: CacheKey
    /// What purges match the flight against; `nil` if no purge affects it.
    package let subject: PurgeSubject?
    private let pool: TaskPool<Value, Failure>
    private let state = Lock(FlightState<Value, Failure>())
    /// Locked while results are published, so that a purge happens entirely before or entirely after.
    private let purges = Lock(Purges())
    private let stage = Atomic<UInt8>(FlightStage.starting.rawValue)
    private let started = SystemTime().monotonic

    private struct Purges: Sendable {
        /// Whether a purge definitely selects the flight's subject.
        var isPurged = false
        /// Purges that may select the subject; the origin's response decides.
        var suspicions: [PurgeSelection] = []
    }

    init(key: CacheKey, subject: PurgeSubject?, pool: TaskPool<Value, Failure>) {
        self.key = key
        self.subject = subject
        self.pool = pool
    }

    /// Whether a result may be stored now: nothing that it depends on has been purged since the flight started.
    package var mayPublish: Bool { publish { true } ?? false }

    /// Whether a purge selects the flight's subject; `nil` if only the origin's response can tell.
    func isAbout(_ selection: PurgeSelection) -> Bool? {
        guard let subject else { return false }
        return selection.covers(subject)
    }

    /// Runs a closure that stores a result, unless the flight's subject has been purged since the flight started.
    ///
    /// - Parameter record: the record of the original that the result is, or is made from.
    /// - Returns: the closure's result; `nil` if it did not run, in which case the outcome is only for the current waiters.
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

    /// Prevents results that belong to a selection from being stored; returns after any publication in progress.
    func purge(_ selection: PurgeSelection) {
        switch isAbout(selection) {
        case true: purges.withLock { $0.isPurged = true }
        case nil: purges.withLock { $0.suspicions.append(selection) }
        default: break
        }
    }

    /// Prevents further joins; current waiters still receive the outcome.
    package func detach() { pool.detach(self) }

    /// Records what the flight is doing now.
    package func enter(_ stage: FlightStage) { self.stage.store(stage.rawValue, ordering: .relaxed) }

    /// What the flight is doing now.
    var currentStage: FlightStage { FlightStage(rawValue: stage.load(ordering: .relaxed)) ?? .starting }

    /// Sets how to read the progress of the flight's transfer: the received bytes, and the announced ones if they are known.
    package func follow(_ progress: @escaping @Sendable () -> (received: Int, expected: Int?)) {
        state.withLock { if !$0.ended { $0.progress = progress } }
    }

    /// The flight's state for operators; `nil` without a subject.
    var status: FlightStatus? {
        guard let subject else { return nil }
        let (waiters, progress) = state.withLock { ($0.waiters.count, $0.progress) }
        let (received, expected) = progress.map { $0() }.map { (Optional($0.received), $0.expected) } ?? (nil, nil)
        return FlightStatus(
            subject: subject,
            stage: currentStage,
            waiters: waiters,
            started: started,
            received: received,
            expected: expected
        )
    }

    /// Ends the flight: removes it from the pool and delivers the outcome to every waiter.
    ///
    /// Only the first call has an effect.
    package func finish(_ outcome: Result<Value, Failure>) {
        // Leave the pool first, so that a new request starts a new flight instead of joining this one.
        pool.remove(self)
        let waiters = state.withLock { $0.end() }
        let round = Delivery.Round()
        for entry in waiters { entry.call(outcome, Delivery(isCollapsed: entry.collapsed, round: round)) }
        round.end()
    }

    /// Gives a value to the waiters that accept one before the end, such as a response whose content is still arriving.
    ///
    /// The flight continues. Waiters that join later receive the value at once.
    package func announce(_ value: Value) {
        let (waiters, observers) = state.withLock { $0.announce(value) }
        let round = Delivery.Round()
        for entry in waiters { entry.call(.success(value), Delivery(isCollapsed: entry.collapsed, round: round)) }
        for observe in observers { observe(value) }
        round.end()
        abandonIfAlone()
    }

    /// Sets what happens when the last waiter has left.
    ///
    /// - Parameters:
    ///   - worthFinishing: called whenever no waiter is left; `true` continues the work without waiters, as SDWebImage's
    ///     ContinueInBackground does, and later requests may still join.
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

    /// The clients whose requests wait.
    package var claims: SharedClaims {
        SharedClaims(of: { [weak self] in self?.state.withLock { $0.claims } ?? [] })
    }

    /// The most urgent priority of the clients that wait.
    package var priority: RequestPriority { claims.all.urgency }

    /// Whether clients have joined or left since the flight began, or have become more urgent.
    package var hasChanged: Bool { state.withLock { $0.hasChanged } }

    /// Reports that other clients wait than before, or that one has become more urgent.
    package func waitersChanged() {
        let follow = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.ended else { return nil }
            state.hasChanged = true
            return state.follow
        }
        follow?()
    }

    /// Sets what adapts the work's place in its queue to the clients that wait (`claims`); called without a lock, on the thread of a
    /// waiter that joins or leaves.
    ///
    /// It is called at once if the clients have changed since the flight began.
    package func onChange(_ follow: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard !state.ended else { return false }
            state.follow = follow
            return state.hasChanged
        }
        if isLate { follow() }
    }

    /// Whether the flight has ended or been abandoned, so that further work for it is useless.
    package var isOver: Bool { state.withLock { $0.ended } }

    /// Fails a waiter for which no flight can be started.
    static func refuse(_ waiter: TaskPool<Value, Failure>.Waiter, _ reason: String) {
        deliver(.failure(.overloaded(reason)), to: waiter, isCollapsed: false)
    }

    /// Calls a waiter that is not in a flight.
    static func deliver(
        _ outcome: Result<Value, Failure>,
        to waiter: TaskPool<Value, Failure>.Waiter,
        isCollapsed: Bool
    ) {
        let round = Delivery.Round()
        waiter(outcome, Delivery(isCollapsed: isCollapsed, round: round))
        round.end()
    }

    /// The latest deadline of the waiters; none if one of them has none, or if the work continues without waiters.
    package var deadline: SharedDeadline {
        SharedDeadline(latestOf: { [weak self] in
            // A key path would be created anew each time, as in all generic code, which takes longer than the rest of a refusal.
            self?.state.withLock { $0.waiters.values.map { $0.deadline } } ?? []
        })
    }

    /// Adds the waiter for which the flight starts.
    package func addFirst(_ waiter: FlightWaiter<Value, Failure>) -> Subscription {
        subscription(state.withLock { $0.insert(waiter) })
    }

    private func subscription(_ number: Int) -> Subscription {
        Subscription { [weak self] in
            self?.leave(number)
        } changed: { [weak self] in
            self?.waitersChanged()
        }
    }

    /// Adds another waiter, unless the flight is full or has ended.
    func add(_ waiter: FlightWaiter<Value, Failure>, limit: Int) -> WaiterAdmission<Value> {
        let (number, announced, isNews): (Int?, Value?, Bool) = state.withLock { state in
            if state.ended { return (-1, nil, false) }
            if case .instead = waiter.early, let announced = state.announced { return (nil, announced, false) }
            guard state.hasRoom(for: waiter.account, limit: limit) else { return (nil, nil, false) }
            var waiter = waiter
            waiter.collapsed = true
            let isNews = state.isNews(waiter)
            return (state.insert(waiter), state.announced, isNews)
        }
        switch (number, announced) {
        case (nil, let announced?): return .announced(announced)
        case (nil, nil): return .full
        case (-1, _): return .ended
        case (let number?, let announced):
            return .added(subscription(number), announced: announced, isNews: isNews)
        }
    }

    /// Cancels the work if no waiter is left and it is not worth finishing; to be called when that may have changed.
    func reconsider() { abandonIfAlone() }

    private func leave(_ number: Int) {
        guard let isNews = state.withLock({ $0.remove(number) }) else { return }
        if isNews { waitersChanged() }
        abandonIfAlone()
    }

    private func abandonIfAlone() {
        let abandonment = state.withLock { $0.waiters.isEmpty && !$0.ended ? $0.abandonment : nil }
        guard let abandonment, !abandonment.worthFinishing() else { return }
        // A waiter may have joined meanwhile: end the flight only if it is still empty.
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

/// Describes how an outcome is delivered to one of a flight's waiters.
package struct Delivery: Sendable {
    /// Whether the waiter joined a flight that was already in progress.
    package let isCollapsed: Bool
    private let round: Round

    fileprivate init(isCollapsed: Bool, round: Round) {
        self.isCollapsed = isCollapsed
        self.round = round
    }

    /// Runs work after all waiters have been called, so that their requests can be batched; immediately if they have been.
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

/// What a waiter does with a value that its flight announces before the end.
package enum EarlyDelivery<Value: Sendable>: Sendable {
    /// It waits for the end.
    case none
    /// The announced value is its outcome.
    case instead
    /// It observes the announced value, and waits for the end.
    case also(@Sendable (Value) -> Void)
}

/// The result of trying to join a flight.
enum WaiterAdmission<Value: Sendable> {
    /// It waits; the flight may have announced a value already.
    ///
    /// - Parameter isNews: whether the work's turn may be another one now.
    case added(Subscription, announced: Value?, isNews: Bool)
    /// The flight has already announced this value, which is the waiter's outcome.
    case announced(Value)
    case full
    case ended
}
