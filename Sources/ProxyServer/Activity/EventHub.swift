import HTTPCache
import HTTPKit
import LinuxSystem
import Logging
import Synchronization

/// Distributes what happens to transfers and tiers: to the log at level debug, and to the subscribers of `GET /events`.
///
/// While there are none of either, an event costs two atomic reads. Any thread.
final class EventHub: ActivityObserving {
    /// The counts for statistics.
    struct Statistics: Sendable {
        var subscribers: Int
        /// Events that slow subscribers have lost.
        var lost: Int
    }

    /// What a subscriber receives.
    enum Feed: String, Sendable {
        case events
        /// The work in progress, once a second.
        case inFlight = "inflight"
        /// What the *Live* page shows, once a second.
        case live
    }

    private struct Subscriber: Sendable {
        var stream: EventStream
        var feed: Feed
        /// Whether it may still receive events, which is asked once a second.
        var isPermitted: @Sendable () -> Bool
    }

    private struct State: Sendable {
        var streams: [ObjectIdentifier: Subscriber] = [:]
        var isTicking = false
        var isOver = false
    }

    /// Nanoseconds between two snapshots.
    private static let interval: Int64 = 1_000_000_000
    /// Snapshots between two comments.
    private static let commentInterval = 15

    private let logger: Logger
    private let level: LogLevelCell
    private let limits: @Sendable () -> Configuration.Events
    private let time: any TimeSource
    private let state = Monitor(State())
    private let listeners = Atomic<Int>(0)
    private let lost = Atomic<Int>(0)
    private let lastNumber = Atomic<Int>(0)

    /// Creates a hub without subscribers.
    ///
    /// - Parameters:
    ///   - level: the level of `logger`, which a reload may change.
    ///   - limits: returns the current limits.
    init(
        logger: Logger,
        level: LogLevelCell,
        limits: @escaping @Sendable () -> Configuration.Events,
        time: any TimeSource
    ) {
        self.logger = logger
        self.level = level
        self.limits = limits
        self.time = time
    }

    var isObserving: Bool { listeners.load(ordering: .relaxed) > 0 || level.level <= .debug }

    var statistics: Statistics {
        Statistics(subscribers: state.withLock { $0.streams.count }, lost: lost.load(ordering: .relaxed))
    }

    func note(_ event: ActivityEvent) {
        if level.level <= .debug { logger.debug(event.message, metadata: event.metadata) }
        guard listeners.load(ordering: .relaxed) > 0 else { return }
        let streams = state.withLock { $0.streams.values.filter { $0.feed == .events } }
        var timestamp = TimestampText()
        timestamp.update(to: time.wallSeconds)
        let text = event.json(time: String(decoding: timestamp.bytes, as: UTF8.self)).text
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        for subscriber in streams where !subscriber.stream.send(event.kind.rawValue, id: number, text) {
            lost.add(1, ordering: .relaxed)
        }
    }

    /// Adds a subscriber, and returns its response; a `Problem` if there are too many.
    ///
    /// - Parameters:
    ///   - isPermitted: asked once a second; the stream ends when it returns false.
    ///   - snapshot: the data that is sent once a second, if it has changed.
    func subscribe(
        to feed: Feed,
        while isPermitted: @escaping @Sendable () -> Bool = { true },
        snapshot: (@Sendable () -> String)? = nil
    ) -> Response {
        let limits = limits()
        let stream: EventStream
        do throws(Errno) {
            stream = try EventStream(limit: limits.buffer, snapshot: snapshot)
        } catch {
            return Response(Problem(503, "No stream can be opened: \(error)."))
        }
        let (isAdmitted, startsTicking) = state.withLock { state -> (Bool, Bool) in
            guard !state.isOver, state.streams.count < limits.subscribers else { return (false, false) }
            state.streams[ObjectIdentifier(stream)] = Subscriber(stream: stream, feed: feed, isPermitted: isPermitted)
            defer { state.isTicking = true }
            return (true, !state.isTicking)
        }
        guard isAdmitted else {
            let limit = "There are \(limits.subscribers) subscribers already (events.subscribers)."
            return Response(Problem(503, limit))
        }
        if feed == .events { listeners.add(1, ordering: .relaxed) }
        let response = stream.response { [weak self] in self?.remove(stream, feed) }
        stream.sendComment()
        stream.sendSnapshot(feed.rawValue)
        if startsTicking { tick() }
        return response
    }

    /// Ends all streams, and refuses new ones.
    func close() {
        let streams = state.update { state in
            state.isOver = true
            return state.streams.values.map(\.stream)
        }
        for stream in streams { stream.end() }
    }

    private func remove(_ stream: EventStream, _ feed: Feed) {
        let isRemoved = state.update { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) != nil }
        if isRemoved, feed == .events { listeners.subtract(1, ordering: .relaxed) }
    }

    /// Starts the thread that sends snapshots and comments, until the last subscriber has left.
    private func tick() {
        do throws(Errno) {
            try SystemThread.start(name: "events") { [self] in run() }
        } catch {
            state.withLock { $0.isTicking = false }
        }
    }

    private func run() {
        var ticks = 0
        while true {
            let isOver: Bool? = state.wait(nanoseconds: Self.interval) { state in
                guard state.isOver || state.streams.isEmpty else { return nil }
                state.isTicking = false
                return true
            }
            if isOver == true { return }
            ticks += 1
            for subscriber in state.withLock({ $0.streams.values.map { $0 } }) {
                let stream = subscriber.stream
                guard subscriber.isPermitted() else {
                    remove(stream, subscriber.feed)
                    stream.end()
                    continue
                }
                stream.sendSnapshot(subscriber.feed.rawValue)
                if ticks.isMultiple(of: Self.commentInterval) { stream.sendComment() }
            }
        }
    }
}

extension ActivityEvent {
    /// The message of the log line.
    fileprivate var message: Logger.Message {
        switch kind {
        case .started: "transfer started"
        case .received: "response received"
        case .finished: "transfer finished"
        case .failed: "transfer failed"
        case .cancelled: "transfer cancelled"
        case .stored: "stored"
        }
    }

    private var members: [(name: String, value: JSONValue)] {
        let members: [(String, JSONValue?)] = [
            ("source", .string(source)), ("url", .string(url)), ("transfer", transfer.map { .number($0) }),
            ("plan", plan.map { .string($0) }), ("tier", tier.map { .string($0) }),
            ("status", status.map { .number($0) }), ("bytes", bytes.map { .number($0) }),
            ("milliseconds", milliseconds.map { .number($0) }), ("error", error.map { .string($0) }),
        ]
        return members.compactMap { member in member.1.map { (member.0, $0) } }
    }

    fileprivate var metadata: Logger.Metadata {
        Logger.Metadata(
            uniqueKeysWithValues: members.map { member in
                if case .string(let text) = member.value { return (member.name, "\(text)") }
                return (member.name, "\(member.value.text)")
            }
        )
    }

    fileprivate func json(time: String) -> JSONValue {
        .object([.init("time", .string(time))] + members.map { .init($0.name, $0.value) })
    }
}
