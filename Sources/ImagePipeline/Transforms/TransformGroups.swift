import ImagePlan
import LinuxSystem

/// Transforms of large originals: those of one original share its decoding, and leave a mezzanine behind for the next
/// (SDWebImage's SDImageFramePool shares decoded frames alike).
///
/// The first order of an original is made at once, with those that come at the same moment. What comes while it is made waits for
/// it, and is then made together: of the mezzanine where that will do, else of the original, decoded once more for all of them.
final class TransformGroups: Sendable {
    /// The most variants of one job: few enough that the first does not wait long for the last.
    private static let largestGroup = 8
    /// The most that wait for one original's decoding; more are made by themselves.
    private static let mostWaiting = 64

    /// One body of one original.
    private struct Key: Hashable, Sendable {
        var origin: CacheKey
        var digest: CacheKey
    }

    private struct Original: Sendable {
        /// Jobs under way.
        var jobs = 0
        var waiting: [TransformOrder] = []
    }

    private let parts: PipelineParts
    private let originals = Lock<[Key: Original]>([:])

    init(parts: PipelineParts) {
        self.parts = parts
    }

    /// Has a variant made; returns at once.
    func order(_ order: TransformOrder) {
        let header = order.outcome.origin.record.header
        // Small ones are decoded in less time than sharing takes; what has ingredients is a job of its own.
        guard order.ingredients.isEmpty,
            header.width.multipliedSaturated(by: header.height) >= Mezzanine.leastPixels, header.frames == 1
        else {
            return alone(order)
        }
        let key = Key(origin: order.request.origin.key, digest: order.body.digest)
        enum Turn { case now, later, alone }
        let turn = originals.withLock { originals -> Turn in
            guard var original = originals[key] else {
                originals[key] = Original(jobs: 1)
                return .now
            }
            guard original.waiting.count < Self.mostWaiting else { return .alone }
            original.waiting.append(order)
            originals[key] = original
            return .later
        }
        switch turn {
        case .now: make([order], of: key)
        case .alone: alone(order)
        case .later: break
        }
    }

    /// Orders that wait for another's decoding.
    var waitingCount: Int { originals.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    private func alone(_ order: TransformOrder) {
        TransformGroup(parts: parts, orders: [order], source: nil, extra: nil, ended: {}).start()
    }

    /// Makes orders whose job is counted already.
    private func make(_ orders: [TransformOrder], of key: Key) {
        // Looking for a mezzanine reads the disk's index.
        guard parts.readLane.submit({ self.makeNow(orders, of: key) }) else {
            for order in orders { order.end(.failure(.overloaded("too many requests wait for the disk"))) }
            return ended(key)
        }
    }

    private func makeNow(_ first: [TransformOrder], of key: Key) {
        // Those who asked for a cold original together come here together, one behind the other.
        let orders =
            first
            + originals.withLock { originals in
                defer { originals[key]?.waiting = [] }
                return originals[key]?.waiting ?? []
            }
        let stage = MezzanineStage(parts: parts)
        let isLoaded = parts.transformer.isLoaded
        var found: [Mezzanine?: (source: MezzanineStage.Found?, orders: [TransformOrder])] = [:]
        for order in orders where order.isWanted {
            let source = order.mezzanine.flatMap { stage.find($0, of: order.outcome.origin.record) }
            found[source?.mezzanine, default: (source, [])].orders.append(order)
        }
        var groups: [TransformGroup] = []
        for (source, orders) in found.values {
            // What lets the original be loaded as small together.
            let orders = orders.sorted { ($0.mezzanine?.factor ?? 1) > ($1.mezzanine?.factor ?? 1) }
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

    /// The jobs that orders of one source are made in.
    ///
    /// A JPEG is decoded smaller for those that allow it, and so shares nothing between them and the rest: another worker may have those.
    private static func parts(of orders: [TransformOrder]) -> [[TransformOrder]] {
        let isJPEG = orders.first?.outcome.origin.record.header.format == .jpeg
        let groups =
            isJPEG
            ? [orders.filter { $0.mezzanine != nil }, orders.filter { $0.mezzanine == nil }]
            : [orders]
        return groups.flatMap { orders in
            stride(from: 0, to: orders.count, by: largestGroup).map { start in
                Array(orders[start..<min(start + largestGroup, orders.count)])
            }
        }
    }

    /// A job has ended; after the last one those who wait have their turn.
    private func ended(_ key: Key) {
        let waiting = originals.withLock { originals -> [TransformOrder] in
            guard var original = originals[key] else { return [] }
            original.jobs -= 1
            guard original.jobs == 0 else {
                originals[key] = original
                return []
            }
            guard !original.waiting.isEmpty else {
                originals[key] = nil
                return []
            }
            originals[key] = Original(jobs: 1)
            return original.waiting
        }
        if !waiting.isEmpty { make(waiting, of: key) }
    }
}
