package import HTTPSemantics

/// A request that waits for a flight.
package struct FlightWaiter<Value: Sendable, Failure: CacheFailure>: Sendable {
    let call: TaskPool<Value, Failure>.Waiter
    let early: EarlyDelivery<Value>
    /// The client account; `nil` for the daemon's own work and for clients that are not told apart.
    let account: String?
    let priority: RequestPriority
    /// The clients behind it.
    let claims: SharedClaims
    /// Whether it waits for another flight's clients, which may change.
    let isNested: Bool
    let deadline: SharedDeadline
    /// Whether it joined a flight that was already in progress.
    var collapsed = false

    /// Creates a waiter.
    ///
    /// - Parameter claims: the clients that wait, if it waits for another flight's; `nil` for the account's with the priority.
    package init(
        _ call: @escaping TaskPool<Value, Failure>.Waiter,
        early: EarlyDelivery<Value> = .none,
        account: String? = nil,
        priority: RequestPriority = .background,
        claims: SharedClaims? = nil,
        deadline: SharedDeadline = .none
    ) {
        self.call = call
        self.early = early
        self.account = account
        self.priority = priority
        let isClient = account != nil || priority > .background
        isNested = claims != nil
        self.claims = claims ?? (isClient ? SharedClaims(Claim(account, priority)) : .none)
        self.deadline = deadline
    }
}

/// What happens when the last waiter has left.
struct Abandonment: Sendable {
    var worthFinishing: @Sendable () -> Bool
    var cancel: @Sendable () -> Void
}

/// The state of a flight, behind its lock.
struct FlightState<Value: Sendable, Failure: CacheFailure>: Sendable {
    typealias Waiter = FlightWaiter<Value, Failure>

    /// Waiters by number, in order of arrival.
    var waiters: [Int: Waiter] = [:]
    var nextNumber = 0
    var ended = false
    /// The value announced before the end.
    var announced: Value?
    var abandonment: Abandonment?
    /// Reads the progress of the transfer.
    var progress: (@Sendable () -> (received: Int, expected: Int?))?
    /// The clients that are known to wait, at most `SharedClaims.limit`.
    private var known: [Claim] = []
    var hasChanged = false
    /// Adapts the work's place in its queue to the clients that wait.
    var follow: (@Sendable () -> Void)?

    /// The number of waiters whose clients may change.
    private var nested = 0

    /// The clients of the waiters, in order of arrival.
    var claims: [SharedClaims] {
        // Many may wait, of which only some are needed.
        guard nested == 0 else { return inOrder.map { $0.claims } }
        return known.filter { $0.account != nil || $0.priority > .background }.map { SharedClaims($0) }
    }

    // Not a key path, for the same reason as in `Flight.deadline`.
    private var inOrder: [Waiter] {
        waiters.count == 1 ? Array(waiters.values) : waiters.sorted { $0.key < $1.key }.map { $0.value }
    }

    mutating func insert(_ waiter: Waiter) -> Int {
        defer { nextNumber += 1 }
        waiters[nextNumber] = waiter
        note(waiter)
        return nextNumber
    }

    /// Notes the clients of all waiters anew.
    private mutating func noteAll() {
        (known, nested) = ([], 0)
        for waiter in inOrder { note(waiter) }
    }

    private mutating func note(_ waiter: Waiter) {
        if waiter.isNested { nested += 1 }
        if let index = known.firstIndex(where: { $0.account == waiter.account }) {
            known[index].priority = max(known[index].priority, waiter.priority)
        } else if known.count < SharedClaims.limit {
            known.append(Claim(waiter.account, waiter.priority))
        }
    }

    /// Whether a new waiter is of a client that is not known to wait, or is more urgent than that client's others.
    func isNews(_ waiter: Waiter) -> Bool {
        let claim = known.first { $0.account == waiter.account }
        return claim.map { $0.priority < waiter.priority } ?? (known.count < SharedClaims.limit)
    }

    /// Removes a waiter.
    ///
    /// - Returns: whether the most urgent one of a known client has left while others wait; `nil` if it does not wait.
    mutating func remove(_ number: Int) -> Bool? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        if waiter.isNested { nested -= 1 }
        guard let claim = known.first(where: { $0.account == waiter.account }),
            !waiters.values.contains(where: { $0.account == claim.account && $0.priority >= claim.priority })
        else { return false }
        noteAll()
        return !waiters.isEmpty
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
    mutating func announce(_ value: Value) -> ([Waiter], [@Sendable (Value) -> Void]) {
        guard !ended, announced == nil else { return ([], []) }
        announced = value
        var ending: [Waiter] = []
        var observers: [@Sendable (Value) -> Void] = []
        for (number, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            switch waiter.early {
            case .none: break
            case .instead:
                ending.append(waiter)
                waiters[number] = nil
            case .also(let observe): observers.append(observe)
            }
        }
        if !ending.isEmpty { noteAll() }
        return (ending, observers)
    }

    /// Marks the flight as ended and returns its waiters in order of arrival; returns none the second time.
    mutating func end() -> [Waiter] {
        guard !ended else { return [] }
        ended = true
        abandonment = nil
        follow = nil
        progress = nil
        defer { waiters = [:] }
        return inOrder
    }
}
