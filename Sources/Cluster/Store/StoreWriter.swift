import HTTPCache
import HTTPSemantics
import LinuxSystem
import OriginTransfer

/// Carries out the writes of a `StoreQueue`, one after the other, on threads of its own.
///
/// A write that fails is repeated, and given up after a number of attempts. While the store is failing, the writers wait and the
/// queue fills. A store that does not implement a condition of writes (status 501, as OpenStack Swift does) is written to without it:
/// contents never change, and a record is only replaced after a look at it.
final class StoreWriter: Sendable {
    /// What became of one attempt.
    private enum Outcome {
        case written(bytes: Int)
        /// Another node has written it, or something newer.
        case superfluous
        case failed(String)
        case closed
    }

    private static let attempts = 3
    /// The status with which a store refuses what it does not implement.
    private static let notImplemented = 501
    /// The longest pause between two looks at the breaker, in nanoseconds.
    private static let pace: Int64 = 100_000_000

    private let queue: StoreQueue
    private let client: ObjectClient
    private let breaker: SharedBreaker
    private let clock: StoreClock
    private let time: any TimeSource
    private let patience: ObjectRequest.Patience
    private let isReadable: @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool
    private let verdict: @Sendable (PurgeSubject, SharedPlace) -> SharedVerdict
    private let note: @Sendable ((inout StoreStatistics) -> Void) -> Void
    /// The kinds of conditions that the store has refused, for as long as this process runs.
    private let refused = Lock<Set<ObjectRequest.Condition.Kind>>([])

    /// Creates a writer without threads.
    ///
    /// - Parameters:
    ///   - isReadable: whether this release can read an object's metadata; others are not replaced.
    ///   - verdict: what the purges since a place mean for a subject.
    ///   - note: changes the statistics.
    init(
        _ queue: StoreQueue,
        client: ObjectClient,
        breaker: SharedBreaker,
        clock: StoreClock,
        time: any TimeSource,
        patience: ObjectRequest.Patience,
        isReadable: @escaping @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool,
        verdict: @escaping @Sendable (PurgeSubject, SharedPlace) -> SharedVerdict,
        note: @escaping @Sendable ((inout StoreStatistics) -> Void) -> Void
    ) {
        (self.queue, self.client, self.breaker, self.clock) = (queue, client, breaker, clock)
        (self.time, self.patience, self.isReadable) = (time, patience, isReadable)
        (self.verdict, self.note) = (verdict, note)
    }

    /// Writes until the queue is closed; blocks.
    func run() {
        while let item = queue.next() {
            write(item)
            queue.finish(item)
        }
    }

    private func write(_ item: StoreQueue.Item) {
        for _ in 0..<Self.attempts {
            guard let ticket = awaitTicket() else { return }
            switch attempt(item) {
            case .written(let bytes):
                breaker.end(ticket, hasAnswered: true)
                note {
                    $0.writes += 1
                    $0.bytesWritten += bytes
                }
                item.completion?.end(true)
                return
            case .superfluous:
                breaker.end(ticket, hasAnswered: true)
                item.completion?.end(true)
                return
            case .failed(let reason): breaker.end(ticket, hasAnswered: false, because: reason)
            case .closed: return breaker.end(ticket, hasAnswered: nil)
            }
        }
        note { $0.writeFailures += 1 }
        item.completion?.end(false)
    }

    /// Waits while the store is failing; `nil` once the queue is closed.
    private func awaitTicket() -> CircuitBreaker.Ticket? {
        while true {
            if let ticket = breaker.begin() { return ticket }
            if queue.pause(nanoseconds: Self.pace) { return nil }
        }
    }

    private func attempt(_ item: StoreQueue.Item) -> Outcome {
        switch item.work {
        case .removal:
            let result = send(.delete, item.key)
            // What is not there need not be removed.
            if case .success(let response) = result, response.status == 404 { return .superfluous }
            return outcome(of: result, bytes: 0)
        case .result(let record, let bytes, let plan, let place):
            let object = StoreObject.encode(StoreObject.Result(record: record, bytes: bytes, place: place), plan: plan)
            // Not only if it is absent: one that is there could not be used.
            return outcome(of: send(.put(.bytes(object)), item.key), bytes: object.count)
        case .mezzanine(let record, let bytes, let plan, let place):
            let content = StoreObject.Result(record: record, bytes: bytes, place: place)
            return create(item.key, .bytes(StoreObject.encode(content, as: .mezzanine, plan: plan)))
        case .original(let record, let body, let place):
            if let body {
                let digest = SHA256Digest(body.digest)
                let content = ObjectRequest.Content.file(body.file, length: body.length, digest: digest)
                switch create(StoreObject.bodyKey(body.digest), content) {
                case .written, .superfluous: break
                case .failed(let reason): return .failed(reason)
                case .closed: return .closed
                }
            }
            return put(record, place, isNew: body != nil, item.key)
        }
    }

    /// Stores an object that never changes, unless it is there.
    private func create(_ key: String, _ content: ObjectRequest.Content) -> Outcome {
        let condition = supported(.isAbsent)
        var result = send(.put(content), key, if: condition)
        if refuses(condition, result) { result = send(.put(content), key) }
        return outcome(of: result, bytes: content.length)
    }

    /// Returns a condition unless the store has refused its kind.
    private func supported(_ condition: ObjectRequest.Condition?) -> ObjectRequest.Condition? {
        condition.flatMap { condition in refused.withLock { $0.contains(condition.kind) } ? nil : condition }
    }

    /// Whether the store has refused a write because of its condition, the kind of which is then not sent again.
    private func refuses(_ condition: ObjectRequest.Condition?, _ result: Result<ObjectResponse, ObjectFailure>) -> Bool
    {
        guard let condition, case .success(let response) = result, response.status == Self.notImplemented else {
            return false
        }
        refused.withLock { _ = $0.insert(condition.kind) }
        return true
    }

    /// Stores an original's record, unless another node has stored one that is newer.
    ///
    /// - Parameter isNew: whether there is probably no record yet.
    private func put(_ record: OriginRecord, _ place: SharedPlace, isNew: Bool, _ key: String) -> Outcome {
        var condition = supported(isNew ? .isAbsent : nil)
        for _ in 0..<Self.attempts {
            if condition == nil {
                let stored = send(.get, key, limit: StoreObject.maximumMeta)
                switch stored {
                case .failure(.closed): return .closed
                case .success(let found) where found.status == 404: condition = .isAbsent
                case .success(let found) where found.status == 200:
                    guard mayReplace(found.bytes, by: record, place) else { return .superfluous }
                    condition = found.entityTag.map { .matches($0) }
                case .success, .failure: return .failed(stored.reason)
                }
            }
            let confirmedAt = clock.seconds - record.freshness.elapsed(at: time.wallSeconds)
            let object = StoreObject.encode(StoreObject.Meta(record: record, confirmedAt: confirmedAt, place: place))
            let sent = supported(condition)
            let result = send(.put(.bytes(object)), key, if: sent)
            // Another node was faster, or the store cannot tell: look at what is there.
            if case .success(let response) = result, response.status == 409 || response.status == 412 {
                condition = nil
                continue
            }
            if refuses(sent, result) {
                condition = nil
                continue
            }
            return outcome(of: result, bytes: object.count)
        }
        return .superfluous
    }

    /// Whether a record replaces the stored one: not one that was confirmed later, and is usable.
    private func mayReplace(_ bytes: [UInt8], by record: OriginRecord, _ place: SharedPlace) -> Bool {
        switch StoreObject.meta(bytes, of: record.key, isReadable: isReadable) {
        case .damaged: return true
        case .newer: return false
        case .value(let stored):
            let confirmedAt = clock.seconds - record.freshness.elapsed(at: time.wallSeconds)
            guard stored.place.log == place.log || verdict(PurgeSubject(stored.record), stored.place) == .usable
            else {
                return true
            }
            return (stored.place.sequence, stored.confirmedAt) <= (place.sequence, confirmedAt)
        }
    }

    private func send(
        _ verb: ObjectRequest.Verb,
        _ key: String,
        if condition: ObjectRequest.Condition? = nil,
        limit: Int = 64 << 10
    ) -> Result<ObjectResponse, ObjectFailure> {
        let request = ObjectRequest(verb, key, if: condition, limit: limit, patience: patience)
        let result = client.perform(request)
        if case .success(let response) = result { clock.note(response) }
        return result
    }

    private func outcome(of result: Result<ObjectResponse, ObjectFailure>, bytes: Int) -> Outcome {
        switch result {
        case .success(let response) where (200..<300).contains(response.status): .written(bytes: bytes)
        // It exists.
        case .success(let response) where response.status == 412: .superfluous
        case .failure(.closed): .closed
        case .success, .failure: .failed(result.reason)
        }
    }
}

extension SHA256Digest {
    /// The digest of a body.
    init(_ key: CacheKey) { self.init(bytes: key.bytes) }
}
