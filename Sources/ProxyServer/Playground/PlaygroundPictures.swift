import HTTPSemantics
import LinuxSystem

/// The pictures that operators have sent to the playground: in memory, each for ten minutes; any thread.
///
/// They belong to no configured source, so that no request of the public listener names one.
final class PlaygroundPictures: Sendable {
    /// What all pictures together may use.
    struct Limits: Sendable {
        /// The maximum number; 0 for none.
        var pictures: Int
        /// The maximum bytes of all.
        var bytes: Int
    }

    private struct Picture: Sendable {
        var id: String
        var data: DataURL
        /// The monotonic clock, in nanoseconds.
        var end: Int64
    }

    /// How long a picture is kept, in seconds.
    static let lifetime = 600

    private let limits: @Sendable () -> Limits
    private let time: any TimeSource
    private struct State: Sendable {
        /// The oldest first.
        var pictures: [Picture] = []
        /// Whether `expire` is going to be called.
        var isTimed = false
    }

    private let state = Lock(State())
    private let delays = DelayLine()

    /// - Parameter limits: returns the current limits; called for each picture that is added.
    init(time: any TimeSource = SystemTime(), limits: @escaping @Sendable () -> Limits) {
        self.time = time
        self.limits = limits
    }

    /// Adds a picture.
    ///
    /// - Returns: its id, which cannot be guessed.
    /// - Throws: 403 if there is no room for any picture, 413 for one that is too large, 503 while there are too many.
    func add(_ data: DataURL) throws(Problem) -> String {
        let limits = limits()
        guard limits.pictures > 0 else { throw Problem(403, "The playground takes no pictures (playground.pictures).") }
        guard data.bytes.count <= limits.bytes else {
            throw Problem(413, "The picture is larger than \(limits.bytes) bytes (playground.memory).")
        }
        let id = Self.newID()
        let now = time.monotonic
        let end = now + Int64(Self.lifetime) * 1_000_000_000
        let wait: Int64? = state.withLock { state in
            state.pictures.removeAll { $0.end <= now }
            let used = state.pictures.reduce(0) { $0 + $1.data.bytes.count }
            guard state.pictures.count < limits.pictures, used <= limits.bytes - data.bytes.count else {
                return (state.pictures.first?.end ?? end) - now
            }
            state.pictures.append(Picture(id: id, data: data, end: end))
            return nil
        }
        if let wait {
            throw Problem(
                503,
                "The playground has no room for another picture (playground.pictures, playground.memory): remove one, or wait.",
                retryAfter: Int(wait / 1_000_000_000) + 1
            )
        }
        startTimer()
        return id
    }

    /// Has the oldest picture removed when it expires, with one timer for all.
    private func startTimer() {
        let now = time.monotonic
        let delay: Int64? = state.withLock { state in
            guard !state.isTimed, let first = state.pictures.first else { return nil }
            state.isTimed = true
            return max(0, first.end - now) + 1_000_000
        }
        guard let delay else { return }
        let isStarted = delays.run(after: delay) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isTimed = false }
            expire()
            startTimer()
        }
        // Without a thread, expired pictures are removed with the next use.
        if !isStarted { state.withLock { $0.isTimed = false } }
    }

    /// The picture with an id; `nil` if there is none any more.
    func picture(_ id: String) -> DataURL? {
        expire()
        return state.withLock { $0.pictures.first { $0.id == id }?.data }
    }

    /// Removes a picture; returns whether there was one.
    @discardableResult
    func remove(_ id: String) -> Bool {
        state.withLock { state in
            let count = state.pictures.count
            state.pictures.removeAll { $0.id == id }
            return state.pictures.count < count
        }
    }

    /// The bytes of all pictures.
    var bytes: Int {
        expire()
        return state.withLock { $0.pictures.reduce(0) { $0 + $1.data.bytes.count } }
    }

    private func expire() {
        let now = time.monotonic
        state.withLock { $0.pictures.removeAll { $0.end <= now } }
    }

    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        let halves: [UInt64] = [generator.next(), generator.next()]
        return halves.map { String($0, radix: 36) }.joined()
    }
}

extension PlaygroundPictures.Limits {
    /// The configured limits.
    init(_ configuration: Configuration) {
        self.init(pictures: configuration.playground.pictures, bytes: configuration.memoryPlan.playground)
    }
}
