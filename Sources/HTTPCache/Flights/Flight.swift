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
        for entry in waiters { entry.waiter(outcome, Delivery(isCollapsed: entry.collapsed, round: round)) }
        round.end()
    }

    /// Gives a value to the waiters that accept one before the end, such as a response whose content is still arriving.
    ///
    /// The flight continues. Waiters that join later receive the value at once.
    package func announce(_ value: Value) {
        let (waiters, observers) = state.withLock { $0.announce(value) }
        let round = Delivery.Round()
        for entry in waiters { entry.waiter(.success(value), Delivery(isCollapsed: entry.collapsed, round: round)) }
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

    /// The most urgent priority that a waiter has had; waiters that leave do not lower it.
    package var priority: RequestPriority { state.withLock { $0.priority } }

    /// Raises the priority of the work; does nothing if it is as urgent already.
    package func raise(to priority: RequestPriority) {
        let change = state.withLock { $0.raise(to: priority) }
        change?(priority)
    }

    /// Sets what raises the work in its queue; called without a lock, on the thread of the waiter that joins.
    ///
    /// - Parameter begun: the priority that the work has in its queue. If a waiter has raised the flight above it since, `change`
    ///   is called at once.
    package func onRaise(above begun: RequestPriority, _ change: @escaping @Sendable (RequestPriority) -> Void) {
        let priority = state.withLock { state -> RequestPriority? in
            guard !state.ended else { return nil }
            state.change = change
            return state.priority
        }
        if let priority, priority > begun { change(priority) }
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

    package func addFirst(
        _ waiter: @escaping TaskPool<Value, Failure>.Waiter,
        account: String? = nil,
        deadline: SharedDeadline = .none,
        priority: RequestPriority = .background,
        early: EarlyDelivery<Value> = .none
    ) -> Subscription {
        let number = state.withLock { state in
            state.priority = max(state.priority, priority)
            return state.insert(waiter, early, collapsed: false, account, deadline)
        }
        return subscription(number)
    }

    private func subscription(_ number: Int) -> Subscription {
        Subscription { [weak self] in
            self?.leave(number)
        } raise: { [weak self] in
            self?.raise(to: $0)
        }
    }

    func add(
        _ waiter: @escaping TaskPool<Value, Failure>.Waiter,
        account: String?,
        deadline: SharedDeadline,
        early: EarlyDelivery<Value>,
        limit: Int
    ) -> WaiterAdmission<Value> {
        let (number, announced): (Int?, Value?) = state.withLock { state in
            if state.ended { return (-1, nil) }
            if case .instead = early, let announced = state.announced { return (nil, announced) }
            guard state.hasRoom(for: account, limit: limit) else { return (nil, nil) }
            return (state.insert(waiter, early, collapsed: true, account, deadline), state.announced)
        }
        switch (number, announced) {
        case (nil, let announced?): return .announced(announced)
        case (nil, nil): return .full
        case (-1, _): return .ended
        case (let number?, let announced): return .added(subscription(number), announced: announced)
        }
    }

    /// Cancels the work if no waiter is left and it is not worth finishing; to be called when that may have changed.
    func reconsider() { abandonIfAlone() }

    private func leave(_ number: Int) {
        let left = state.withLock { $0.waiters.removeValue(forKey: number) != nil }
        if left { abandonIfAlone() }
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
    case added(Subscription, announced: Value?)
    /// The flight has already announced this value, which is the waiter's outcome.
    case announced(Value)
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
        var early: EarlyDelivery<Value>
        var collapsed: Bool
        /// The client account; `nil` for the daemon's own work and for clients that are not told apart.
        var account: String?
        var deadline: SharedDeadline
    }

    /// Waiters by number, in order of arrival.
    var waiters: [Int: Entry] = [:]
    var nextNumber = 0
    var ended = false
    /// The value announced before the end.
    var announced: Value?
    var abandonment: Abandonment?
    /// Reads the progress of the transfer.
    var progress: (@Sendable () -> (received: Int, expected: Int?))?
    var priority = RequestPriority.background
    /// Raises the work in its queue.
    var change: (@Sendable (RequestPriority) -> Void)?

    /// Raises the priority; returns what raises the work, if that is necessary.
    mutating func raise(to priority: RequestPriority) -> (@Sendable (RequestPriority) -> Void)? {
        guard priority > self.priority, !ended else { return nil }
        self.priority = priority
        return change
    }

    mutating func insert(
        _ waiter: @escaping TaskPool<Value, Failure>.Waiter,
        _ early: EarlyDelivery<Value>,
        collapsed: Bool,
        _ account: String?,
        _ deadline: SharedDeadline
    ) -> Int {
        defer { nextNumber += 1 }
        waiters[nextNumber] = Entry(
            waiter: waiter,
            early: early,
            collapsed: collapsed,
            account: account,
            deadline: deadline
        )
        return nextNumber
    }

    /// Whether another waiter may join.
    ///
    /// Once the places are taken, there are as many again for accounts that have less than half as many, so that one client cannot
    /// take a result from others.
    func hasRoom(for account: String?, limit: Int) -> Bool {
        guard waiters.count >= limit else { return true }
        guard let account, waiters.count / 2 < limit else { return false }
        return waiters.values.count { $0.account == account } < max(1, limit / 2)
    }

    /// Announces a value: removes and returns the waiters whose outcome it is, and returns the observers.
    mutating func announce(_ value: Value) -> ([Entry], [@Sendable (Value) -> Void]) {
        guard !ended, announced == nil else { return ([], []) }
        announced = value
        var ending: [Entry] = []
        var observers: [@Sendable (Value) -> Void] = []
        for (number, entry) in waiters.sorted(by: { $0.key < $1.key }) {
            switch entry.early {
            case .none: break
            case .instead:
                ending.append(entry)
                waiters[number] = nil
            case .also(let observe): observers.append(observe)
            }
        }
        return (ending, observers)
    }

    /// Marks the flight as ended and returns its waiters in order of arrival; returns none the second time.
    mutating func end() -> [Entry] {
        guard !ended else { return [] }
        ended = true
        abandonment = nil
        change = nil
        progress = nil
        defer { waiters = [:] }
        // Not a key path, for the same reason as in `Flight.deadline`.
        return waiters.count == 1 ? Array(waiters.values) : waiters.sorted { $0.key < $1.key }.map { $0.value }
    }
}
