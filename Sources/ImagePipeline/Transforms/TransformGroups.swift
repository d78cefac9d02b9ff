import HTTPCache
import ImagePlan
import LinuxSystem

/// Groups the transforms of large originals: variants of one original share a decode and store a mezzanine for later ones
/// (SDWebImage: `SDImageFramePool`).
///
/// Orders that wait for the same download form a group. Orders that arrive during a decode wait for it and form the next group, which
/// uses the mezzanine if possible and decodes the original once more otherwise.
final class TransformGroups: Sendable {
    /// Maximum number of variants in one job; all wait for the last one and share a deadline.
    private static let largestGroup = 8
    /// Maximum estimated milliseconds of the steps and encoders of one job.
    private static let largestCost = 1_000
    /// Maximum number of orders that wait for one original's decode; further orders run alone.
    private static let mostWaiting = 64

    /// One body of one original.
    private struct Key: Hashable, Sendable {
        var origin: CacheKey
        var digest: CacheKey
    }

    private struct Original: Sendable {
        /// Running jobs, plus one while jobs are being created.
        var jobs = 1
        var waiting: [TransformOrder]
    }

    private let parts: PipelineParts
    private let originals = Lock<[Key: Original]>([:])

    init(parts: PipelineParts) {
        self.parts = parts
    }

    /// Orders a variant; returns immediately.
    ///
    /// - Parameter delivery: the delivery of the original; the orders of all its waiters form a group.
    func order(_ order: TransformOrder, in delivery: Delivery?) {
        let header = order.outcome.origin.record.header
        // Decoding a small original is cheaper than sharing; an order with auxiliary images is a job of its own.
        guard order.auxiliaries.isEmpty,
            header.width.multipliedSaturated(by: header.height) >= Mezzanine.minimumPixels, header.frames == 1
        else {
            return alone(order)
        }
        let key = Key(origin: order.request.origin.key, digest: order.body.digest)
        enum Turn { case now, later, alone }
        let turn = originals.withLock { originals -> Turn in
            guard let waiting = originals[key]?.waiting.count else {
                originals[key] = Original(waiting: [order])
                return .now
            }
            guard waiting < Self.mostWaiting else { return .alone }
            originals[key]?.waiting.append(order)
            return .later
        }
        switch turn {
        case .now: if let delivery { delivery.afterAll { self.make(key) } } else { make(key) }
        case .alone: alone(order)
        case .later: break
        }
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
        for order in takeWaiting(key) { order.end(.failure(.overloaded("too many requests are waiting for the disk"))) }
        ended(key)
    }

    private func takeWaiting(_ key: Key) -> [TransformOrder] {
        originals.withLock { originals in
            defer { originals[key]?.waiting = [] }
            return originals[key]?.waiting ?? []
        }
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
                let group = TransformGroup(parts: parts, orders: part, source: source, extras: extras) { [self] in
                    ended(key)
                }
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
            if isNext { original.jobs = 1 }
            originals[key] = original.jobs == 0 ? nil : original
            return isNext
        }
        if isNext { make(key) }
    }
}
