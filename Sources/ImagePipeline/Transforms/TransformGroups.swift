import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Groups the transforms of large originals: variants of one original share a decode and store a mezzanine for later ones
/// (SDWebImage: `SDImageFramePool`).
///
/// Orders that wait for the same download form a group. Orders that arrive while a group is made wait for its mezzanine, and form the
/// next group. They wait for limited times only, and then decode the original once more: however long a job takes or is queued, it
/// delays another client's orders, and more urgent ones, little more than another decode does.
final class TransformGroups: Sendable {
    /// Maximum number of variants in one job; all wait for the last one and share a deadline.
    private static let largestGroup = 8
    /// Maximum estimated milliseconds of the steps and encoders of one job.
    private static let largestCost = 1_000
    /// Maximum number of orders that wait for one original's decode; further orders run alone.
    private static let mostWaiting = 64
    /// Nanoseconds for which an order waits for jobs of its own client that are as urgent.
    private static let ownPatience: Int64 = 2_000_000_000
    /// Nanoseconds for which an order waits for jobs of other clients, or for less urgent ones.
    static let patience: Int64 = 250_000_000

    /// One body of one original.
    private struct Key: Hashable, Sendable {
        var origin: CacheKey
        var digest: CacheKey
    }

    /// The client of an original's jobs, and their least urgent priority.
    private struct Owner: Sendable {
        var account: String?
        var priority: RequestPriority

        init(_ order: TransformOrder) {
            account = order.context.account
            priority = order.priority
        }

        /// With another order among the jobs; `nil` if it is of another client.
        func joined(by order: TransformOrder) -> Owner? {
            guard account == order.context.account else { return nil }
            var owner = self
            owner.priority = min(priority, order.priority)
            return owner
        }

        /// The nanoseconds for which an order waits for the jobs.
        func patience(of order: TransformOrder) -> Int64 {
            order.turns.allSatisfy({ $0.account == account }) && priority >= order.priority
                ? ownPatience : TransformGroups.patience
        }
    }

    private struct Original: Sendable {
        /// Running jobs, plus one while jobs are being created.
        var jobs = 1
        var waiting: [TransformOrder]
        /// The owner of the jobs; `nil` if they are of several clients.
        var owner: Owner?
        /// The nanoseconds after which the waiting orders will no longer wait; `nil` if none waits.
        var patience: Int64?

        init(_ order: TransformOrder) {
            waiting = [order]
            owner = Owner(order)
        }

        /// Returns for how long an order waits, if that is less than for the others.
        mutating func limitWait(of order: TransformOrder) -> Int64? {
            let own = owner?.patience(of: order) ?? TransformGroups.patience
            guard own < patience ?? .max else { return nil }
            patience = own
            return own
        }

        /// Returns the waiting orders, which become jobs.
        mutating func takeWaiting() -> [TransformOrder] {
            defer {
                waiting = []
                patience = nil
            }
            owner = waiting.reduce(owner) { $0?.joined(by: $1) }
            return waiting
        }
    }

    private let parts: PipelineParts
    private let delays: DelayLine
    private let originals = Lock<[Key: Original]>([:])

    init(parts: PipelineParts) {
        self.parts = parts
        delays = DelayLine(time: parts.time)
    }

    /// Orders a variant; returns immediately.
    ///
    /// - Parameter delivery: the delivery of the original; the orders of all its waiters form a group.
    func order(_ order: TransformOrder, in delivery: Delivery?) {
        let header = order.outcome.origin.record.header
        // Decoding a small original is cheaper than sharing; an order with auxiliary images is a job of its own, and one that is timed.
        guard order.auxiliaries.isEmpty, !order.context.isTimed,
            header.width.multipliedSaturated(by: header.height) >= Mezzanine.minimumPixels, header.frames == 1
        else {
            return alone(order)
        }
        let key = Key(origin: order.request.origin.key, digest: order.body.digest)
        // One for which another client waits, too, waits less; a job that it becomes part of replaces this.
        order.onChange { self.waitersChanged(order, key) }
        enum Turn { case now, later(Int64?), alone }
        let turn = originals.withLock { originals -> Turn in
            guard let original = originals[key] else {
                originals[key] = Original(order)
                return .now
            }
            guard original.waiting.count < Self.mostWaiting else { return .alone }
            originals[key]?.waiting.append(order)
            return .later(originals[key]?.limitWait(of: order))
        }
        switch turn {
        case .now: if let delivery { delivery.afterAll { self.make(key) } } else { make(key) }
        case .alone: alone(order)
        case .later(let patience): limitWait(to: patience, key)
        }
    }

    /// Ensures that an order which waits for jobs, and for which other clients wait now, waits no longer than it has patience.
    private func waitersChanged(_ order: TransformOrder, _ key: Key) {
        let patience = originals.withLock { originals -> Int64? in
            guard originals[key]?.waiting.contains(where: { $0 === order }) == true else { return nil }
            return originals[key]?.limitWait(of: order)
        }
        limitWait(to: patience, key)
    }

    /// Runs the waiting orders after a time at the latest; `nil` if they run earlier.
    private func limitWait(to patience: Int64?, _ key: Key) {
        guard let patience else { return }
        if !delays.run(after: patience, { self.waitNoLonger(key) }) { waitNoLonger(key) }
    }

    /// Runs the waiting orders beside the jobs that they have waited for.
    private func waitNoLonger(_ key: Key) {
        let isNext = originals.withLock { originals -> Bool in
            // Those that waited may have run, and others may wait since then, which run early then.
            guard originals[key]?.waiting.isEmpty == false else { return false }
            originals[key]?.jobs += 1
            return true
        }
        if isNext { make(key) }
    }

    /// Number of orders that wait for another decode.
    var waitingCount: Int { originals.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    private func alone(_ order: TransformOrder) {
        TransformGroup(parts: parts, orders: [order], source: order.copy, ended: {}).start()
    }

    /// Runs the waiting orders; `jobs` already counts this call.
    private func make(_ key: Key) {
        // Finding a mezzanine reads the disk's index.
        guard !parts.readLane.submit({ self.makeNow(key) }) else { return }
        for order in takeWaiting(key) { order.end(.failure(.diskQueueFull)) }
        ended(key)
    }

    private func takeWaiting(_ key: Key) -> [TransformOrder] {
        originals.withLock { $0[key]?.takeWaiting() ?? [] }
    }

    private func makeNow(_ key: Key) {
        let orders = takeWaiting(key)
        let stage = MezzanineStage(parts: parts)
        var found: [Mezzanine?: (source: MezzanineStage.Found?, orders: [TransformOrder])] = [:]
        for order in orders where order.isWanted {
            let source =
                order.mezzanine.flatMap { stage.find($0, of: order.outcome.origin.record) } ?? order.copy
            found[source?.mezzanine, default: (source, [])].orders.append(order)
        }
        var groups: [TransformGroup] = []
        for (source, orders) in found.values {
            // Group the cheapest orders together.
            let orders = orders.sorted { $0.milliseconds < $1.milliseconds }
            var extras = Self.extras(of: orders, source, isLoaded: parts.transformer.isLoaded) { order, mezzanine in
                stage.isStored(mezzanine, of: order.outcome.origin.record)
            }
            for part in Self.parts(of: orders) {
                let group = TransformGroup(
                    parts: parts,
                    orders: part,
                    source: source,
                    extras: extras,
                    delays: delays
                ) { [self] in ended(key) }
                groups.append(group)
                extras = []
            }
        }
        originals.withLock { $0[key]?.jobs += groups.count }
        for group in groups { group.start() }
        // Ends the count of this call.
        ended(key)
    }

    /// Returns the mezzanines that the first job of the orders of one source also makes: those that are not stored, and cost little.
    ///
    /// One of the size at which a single order is decoded costs a seventh of it. It is left for the next width that needs it, which finds
    /// the smaller one stored.
    ///
    /// - Parameters:
    ///   - source: the mezzanine or the lossless copy that replaces the original.
    ///   - isLoaded: whether all processors are busy, so that only those of a sixteenth of the original's pixels are made.
    private static func extras(
        of orders: [TransformOrder],
        _ source: MezzanineStage.Found?,
        isLoaded: Bool,
        isStored: (TransformOrder, Mezzanine) -> Bool
    ) -> [Mezzanine] {
        guard source?.mezzanine == nil else { return [] }
        var extras: [Mezzanine] = []
        for mezzanine in Mezzanine.factors.map({ Mezzanine(factor: $0) }) where !isLoaded || mezzanine.factor >= 4 {
            guard let order = orders.first(where: { $0.byproducts.contains(mezzanine) }) else { continue }
            let isPutOff = orders.count == 1 && !extras.isEmpty && order.mezzanine == mezzanine
            if !isPutOff, !isStored(order, mezzanine) { extras.append(mezzanine) }
        }
        return extras
    }

    /// Splits the orders of one source into jobs by maximum size and cost, in order.
    private static func parts(of orders: [TransformOrder]) -> [[TransformOrder]] {
        var parts: [(cost: Int, orders: [TransformOrder])] = []
        for order in orders {
            let cost = order.milliseconds
            if let last = parts.last, last.orders.count < largestGroup,
                last.cost.addingSaturated(cost) <= largestCost
            {
                parts[parts.count - 1].cost += cost
                parts[parts.count - 1].orders.append(order)
            } else {
                parts.append((cost, [order]))
            }
        }
        return parts.map(\.orders)
    }

    /// Records the end of a job; after the last one, the waiting orders run.
    private func ended(_ key: Key) {
        let isNext = originals.withLock { originals -> Bool in
            guard var original = originals[key] else { return false }
            original.jobs -= 1
            let isNext = original.jobs == 0 && !original.waiting.isEmpty
            if isNext {
                original.jobs = 1
                original.owner = original.waiting.first.map(Owner.init)
            }
            originals[key] = original.jobs == 0 ? nil : original
            return isNext
        }
        if isNext { make(key) }
    }
}
