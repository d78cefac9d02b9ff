import HTTPCache
import ImagePlan
import LinuxSystem

/// Transforms of large originals: those of one original share its decoding, and leave a mezzanine behind for the next
/// (SDWebImage's SDImageFramePool shares decoded frames alike).
///
/// The orders that one download brings are made together. What comes while an original is decoded waits for that, and is then made
/// together as well: of the mezzanine where that will do, else of the original, decoded once more for all of them.
final class TransformGroups: Sendable {
    /// The most variants of one job, and what their steps and encoders may take together, in milliseconds: the first waits for the
    /// last, and they share a deadline.
    private static let largestGroup = 8
    private static let largestCost = 1_000
    /// The most that wait for one original's decoding; more are made by themselves.
    private static let mostWaiting = 64

    /// One body of one original.
    private struct Key: Hashable, Sendable {
        var origin: CacheKey
        var digest: CacheKey
    }

    private struct Original: Sendable {
        /// Jobs under way, and the making of them.
        var jobs = 1
        var waiting: [TransformOrder]
    }

    private let parts: PipelineParts
    private let originals = Lock<[Key: Original]>([:])

    init(parts: PipelineParts) {
        self.parts = parts
    }

    /// Has a variant made; returns at once.
    ///
    /// - Parameter delivery: of the original to all that wait for it: their orders are made together.
    func order(_ order: TransformOrder, in delivery: Delivery?) {
        let header = order.outcome.origin.record.header
        // Small ones are decoded in less time than sharing takes; what has ingredients is a job of its own.
        guard order.ingredients.isEmpty,
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

    /// Orders that wait for another's decoding.
    var waitingCount: Int { originals.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    private func alone(_ order: TransformOrder) {
        TransformGroup(parts: parts, orders: [order], source: nil, extra: nil, ended: {}).start()
    }

    /// Makes the orders that wait; their job is counted already.
    private func make(_ key: Key) {
        // Looking for a mezzanine reads the disk's index.
        guard !parts.readLane.submit({ self.makeNow(key) }) else { return }
        for order in takeWaiting(key) { order.end(.failure(.overloaded("too many requests wait for the disk"))) }
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
        let isLoaded = parts.transformer.isLoaded
        var found: [Mezzanine?: (source: MezzanineStage.Found?, orders: [TransformOrder])] = [:]
        for order in orders where order.isWanted {
            let source = order.mezzanine.flatMap { stage.find($0, of: order.outcome.origin.record) }
            found[source?.mezzanine, default: (source, [])].orders.append(order)
        }
        var groups: [TransformGroup] = []
        for (source, orders) in found.values {
            // The cheapest together, however they came.
            let orders = orders.sorted { $0.milliseconds < $1.milliseconds }
            // What it would have had, unless that is what it has. Many at a time share their decoding, and need none now.
            let wanted = orders.count == 1 ? orders[0].mezzanine : nil
            let extra = isLoaded || wanted == source?.mezzanine ? nil : wanted
            for part in Self.parts(of: orders) {
                groups.append(
                    TransformGroup(parts: parts, orders: part, source: source, extra: extra) { [self] in ended(key) }
                )
            }
        }
        originals.withLock { $0[key]?.jobs += groups.count }
        for group in groups { group.start() }
        // The one that this call was counted as.
        ended(key)
    }

    /// The jobs that orders of one source are made in: each in turn joins the job before it, unless that takes too long then.
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

    /// A job has ended; after the last one those who wait have their turn.
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
