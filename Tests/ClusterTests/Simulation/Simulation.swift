import TestSupport

@testable import Cluster

/// One schedule: nodes, clients and faults, all determined by a seed.
///
/// The promise: a read that starts later than a second after a purge was answered sees nothing whose download, or validation,
/// began before the purge was in the log; after a wait for all nodes, no read that starts later than its answer does, on nodes
/// that have joined the log since it began.
final class Simulation {
    /// A purge that was answered.
    private struct Purge {
        let added: Int64
        /// From when on the promise holds.
        let holds: Int64
        /// On which nodes; `nil` for all.
        let nodes: Set<String>?
    }

    private enum Fault: CaseIterable {
        case partition, crash, restart, flush, trim
    }

    private static let millisecond: Int64 = 1_000_000
    /// The clocks of the nodes and that of the simulation differ.
    private static let tolerance: Int64 = 1_000_000

    let events = EventQueue()
    let rule: BrokenRule?
    var random: SeededGenerator
    /// Broken promises, as text.
    private(set) var violations: [String] = []
    /// Reads that were answered from a cache, and purges that were answered, to show that something happens.
    private(set) var hits = 0
    private(set) var answered = 0
    private let log: ModelLog
    private var nodes: [ModelNode] = []
    private let keys: Int
    private let loss: Double
    private let slowness: Int64
    /// The kinds of faults that happen in this schedule: some need others to be rare.
    private let faults: [Fault]
    private var purges: [Int: [Purge]] = [:]
    private var copies: [ModelLog.Copy] = []

    init(seed: UInt64, nodes count: Int, keys: Int, breaking rule: BrokenRule? = nil) {
        random = SeededGenerator(seed: seed)
        self.rule = rule
        self.keys = keys
        loss = [0, 0.02, 0.3].randomElement(using: &random) ?? 0
        slowness = [1, 20, 400].randomElement(using: &random) ?? 1
        let chosen = random.next()
        faults = Fault.allCases.enumerated().filter { chosen >> UInt64($0.offset) & 1 == 1 }.map(
            \.element
        )
        log = ModelLog(breaking: rule)
        nodes = (0..<count).map { ModelNode("n\($0)", in: self) }
    }

    /// Runs the schedule.
    func run(seconds: Int64, readsPerSecond: Int, purgesPerSecond: Int) {
        for node in nodes { node.start() }
        every(1_000 * Self.millisecond / Int64(readsPerSecond)) { self.readSomewhere() }
        every(1_000 * Self.millisecond / Int64(purgesPerSecond)) { self.purgeSomewhere() }
        every(700 * Self.millisecond) { self.fault() }
        every(900 * Self.millisecond) { self.copies = self.copies.suffix(5) + [self.log.contents] }
        events.run(until: seconds * 1_000 * Self.millisecond)
        events.end()
    }

    private func every(_ mean: Int64, _ action: @escaping () -> Void) {
        events.after(Int64.random(in: 0...(2 * mean), using: &random)) {
            action()
            self.every(mean, action)
        }
    }

    // Clients.

    /// Of ten keys half of the time, so that keys are read again soon after a purge.
    private func someKey() -> Int {
        Int.random(in: 0..<(Bool.random(using: &random) ? min(keys, 10) : keys), using: &random)
    }

    private func someNode() -> ModelNode? {
        let up = nodes.filter(\.isUp)
        return up.randomElement(using: &random)
    }

    private func readSomewhere() {
        let key = someKey()
        guard let node = someNode(), let row = node.read(key) else { return }
        hits += 1
        for purge in purges[key] ?? []
        where purge.holds + Self.tolerance < events.now && row.began < purge.added {
            if let names = purge.nodes, !names.contains(node.name) { continue }
            violations.append(
                "\(node.name), key \(key): read at \(events.now / 1_000) µs what began at \(row.began / 1_000), "
                    + "purged at \(purge.added / 1_000), promised from \(purge.holds / 1_000)"
            )
        }
    }

    private func purgeSomewhere() {
        let key = someKey()
        let isForAll = Bool.random(using: &random)
        guard let node = someNode() else { return }
        node.append(key: key) { answer in
            guard let (sequence, added) = answer else { return }
            self.answered += 1
            let holds = self.events.now + 1_000 * Self.millisecond
            self.purges[key, default: []].append(Purge(added: added, holds: holds, nodes: nil))
            guard isForAll else { return }
            node.waitForAll(sequence) {
                let names = Set(self.log.contents.nodes.keys.map(NodeBoard.name))
                self.purges[key, default: []].append(
                    Purge(added: added, holds: self.events.now, nodes: names)
                )
            }
        }
    }

    // The network.

    private func delay() -> Int64 {
        let usual = Int64.random(in: 50_000...500_000, using: &random) * slowness
        return Int.random(in: 0..<200, using: &random) == 0 ? usual + 1_500 * Self.millisecond : usual
    }

    private func isLost(_ node: ModelNode) -> Bool {
        node.isPartitioned || Double.random(in: 0..<1, using: &random) < loss
    }

    /// A call of the log: `request` happens at the log, what it replies at the node.
    ///
    /// - Parameter completion: is given `nil` if nothing came back in time.
    func call<Result>(
        _ node: ModelNode,
        timeout: Int64,
        request: @escaping (ModelLog, @escaping (@escaping (ModelNode) -> Result) -> Void) -> Void,
        completion: @escaping (((ModelNode) -> Result)?) -> Void
    ) {
        var isDone = false
        func finish(_ answer: ((ModelNode) -> Result)?) {
            if isDone { return }
            isDone = true
            completion(answer)
        }
        events.after(timeout) { finish(nil) }
        if isLost(node) { return }
        events.after(delay()) {
            if self.log.isDown { return finish(nil) }
            request(self.log) { answer in
                if self.isLost(node) { return }
                self.events.after(self.delay()) { if !node.isPartitioned { finish(answer) } }
            }
        }
    }

    // Faults.

    func applyDuration() -> Int64 {
        Int.random(in: 0..<50, using: &random) == 0
            ? Int64.random(in: 0...1_500, using: &random) * Self.millisecond
            : Int64.random(in: 0...2_000, using: &random) * 1_000
    }

    func writeDelay() -> Int64 { Int64.random(in: 1...40, using: &random) * Self.millisecond }

    func downloadDuration() -> Int64 { Int64.random(in: 1...600, using: &random) * Self.millisecond }

    private func fault() {
        let duration = Int64.random(in: 100...3_000, using: &random) * Self.millisecond
        switch faults.randomElement(using: &random) {
        case .partition:
            let parted = nodes.filter { _ in Bool.random(using: &random) }
            for node in parted { node.isPartitioned = true }
            events.after(duration) { for node in parted { node.isPartitioned = false } }
        case .crash:
            guard let node = someNode() else { return }
            node.crash()
            events.after(duration) { node.restart() }
        case .restart:
            log.isDown = true
            events.after(duration / 2) {
                let copy = [nil, ModelLog.Copy(), self.copies.randomElement(using: &self.random)]
                self.log.restart(with: copy.randomElement(using: &self.random) ?? nil)
                self.log.isDown = false
            }
        case .flush: log.flush()
        case .trim: log.trim(keeping: Int.random(in: 1...5, using: &random))
        case nil: break
        }
    }
}
