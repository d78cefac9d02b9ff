import TestSupport

@testable import Cluster

/// A node of the simulation: the real `FollowerState` and `NodeBoard` over a simulated network, with a model of the cache.
final class ModelNode {
    let name: String
    private(set) var cache: ModelCache
    private(set) var board = NodeBoard()
    private(set) var isUp = true
    /// Whether no message reaches it or leaves it.
    var isPartitioned = false
    private unowned let world: Simulation
    private let offset: Int64
    private let drift: Int64
    private var state: FollowerState
    private var run = 0

    init(_ name: String, in world: Simulation) {
        self.name = name
        self.world = world
        offset = Int64.random(in: 0...10_000_000_000_000, using: &world.random)
        // Parts per million: more than real clocks differ.
        drift = Int64.random(in: -200...200, using: &world.random)
        cache = ModelCache(breaking: world.rule)
        state = FollowerState(node: NodeBoard.key(name: name, run: "0"), place: nil)
    }

    /// Its own monotonic clock.
    var clock: Int64 { offset + world.events.now + world.events.now / 1_000_000 * drift }

    func start() {
        turn(run)
        writeLater(run)
    }

    func crash() {
        isUp = false
        run += 1
    }

    func restart() {
        isUp = true
        cache.restart()
        board = NodeBoard()
        state = FollowerState(node: NodeBoard.key(name: name, run: "\(run)"), place: cache.place)
        start()
    }

    private func turn(_ run: Int) {
        guard run == self.run else { return }
        var began = clock
        let turn = state.next(at: began)
        world.call(
            self,
            timeout: 2_200_000_000,
            request: { [world] log, reply in
                switch turn {
                case .beat(let presence):
                    let end = log.head(presence)
                    reply { node in
                        if world.rule == .touchFromAnswer { began = node.clock }
                        return node.state.answered(end, began: began)
                    }
                case .read(let place, let waiting):
                    self.read(after: place, waiting: waiting, log) { entries in
                        reply { $0.state.received(entries) }
                    }
                }
            },
            completion: { answer in
                guard run == self.run else { return }
                guard let answer else {
                    let pause = self.state.failed(using: &self.world.random)
                    return self.world.events.after(pause) { self.turn(run) }
                }
                if self.world.rule == .touchUnbound, case .beat = turn {
                    self.cache.inTouchUntil = max(self.cache.inTouchUntil, began + 1_000_000_000)
                }
                self.perform(answer(self)[...], run)
            }
        )
    }

    /// Reads as XREAD BLOCK does.
    private func read(
        after place: LogPlace,
        waiting: Int64,
        _ log: ModelLog,
        _ answer: @escaping ([LogEntry]) -> Void
    ) {
        let entries = log.read(after: place)
        if !entries.isEmpty { return answer(entries) }
        var isAnswered = false
        func finish() {
            if isAnswered { return }
            isAnswered = true
            answer(log.read(after: place))
        }
        log.whenAppended(finish)
        world.events.after(waiting, finish)
    }

    private func perform(_ effects: ArraySlice<FollowerState.Effect>, _ run: Int) {
        guard run == self.run else { return }
        guard let effect = effects.first else { return turn(run) }
        var duration: Int64 = 0
        if case .apply = effect { duration = world.applyDuration() }
        world.events.after(duration) {
            guard run == self.run else { return }
            switch effect {
            case .apply(let entry): self.cache.apply(entry)
            case .gap(_, let place): self.cache.gap(at: place)
            case .inTouch(let until): self.cache.inTouchUntil = max(self.cache.inTouchUntil, until)
            }
            self.perform(effects.dropFirst(), run)
        }
    }

    private func writeLater(_ run: Int) {
        world.events.after(world.writeDelay()) {
            guard run == self.run else { return }
            self.cache.write()
            self.writeLater(run)
        }
    }

    /// A client reads a key: from the cache, or by a download that ends later.
    func read(_ key: Int) -> ModelCache.Row? {
        if let row = cache.read(key, clock: clock) { return row }
        let (run, id) = (run, cache.begin(key, at: world.events.now, clock: clock))
        world.events.after(world.downloadDuration()) {
            if run == self.run { self.cache.end(key, id: id, clock: self.clock) }
        }
        return nil
    }

    /// Calls back with the entry's sequence and the time at which it was added, or with `nil`.
    func append(key: Int, _ completion: @escaping ((sequence: UInt64, added: Int64)?) -> Void) {
        world.call(self, timeout: 1_000_000_000) { [world] log, reply in
            let added = world.events.now
            let place = log.append(key: key)
            reply { _ in (place.sequence, added) }
        } completion: { answer in
            completion(answer.map { $0(self) })
        }
    }

    /// Calls back when all nodes have applied an entry; never if that does not happen within 5 s.
    func waitForAll(_ sequence: UInt64, _ completion: @escaping () -> Void) {
        let (run, asked) = (run, clock)
        func look() {
            guard run == self.run, clock - asked < 5_000_000_000 else { return }
            let began = clock
            world.call(self, timeout: 1_000_000_000) { log, reply in
                let nodes = log.nodes()
                reply { _ in nodes }
            } completion: { answer in
                guard run == self.run else { return }
                if let answer { self.board.update(answer(self), began: began, ended: self.clock) }
                let asked = self.world.rule == .oldLists ? asked - 3_000_000_000 : asked
                if let nodes = self.board.nodes(at: sequence, asked: asked), nodes.missing.isEmpty {
                    return completion()
                }
                self.world.events.after(50_000_000, look)
            }
        }
        look()
    }
}
