import HTTPSemantics
import LinuxSystem
import Synchronization

/// A loader of originals; any thread.
package protocol TransferLoading: Sendable {
    /// Whether the loader loads such targets (SDWebImage: `canRequestImageForURL:`).
    func canLoad(_ target: OriginTarget) -> Bool

    /// Starts a load and returns immediately; both closures are called on the loader's thread and must not block.
    ///
    /// - Parameters:
    ///   - arrival: called at most once, before `completion`, with a response whose body is still arriving (`.growing`); not
    ///     called for short bodies and by loaders that deliver only complete ones. The file ends after `completion`.
    ///   - completion: called exactly once, also for cancelled loads.
    func load(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle
}

extension TransferLoading {
    /// Starts a load whose body is delivered when it is complete.
    package func load(
        _ request: TransferRequest,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        load(request, arrival: nil, completion: completion)
    }
}

/// A running load; any thread.
package protocol LoadHandle: Sendable {
    /// Cancels the load; its completion receives `.cancelled` unless it has already been called.
    func cancel()
    /// Adapts the load's place in the queue to the clients that wait for it now (`TransferRequest.claims`).
    func waitersChanged()
    /// Bytes of the body received so far.
    var received: Int { get }
    /// The announced bytes of the body; `nil` while they are unknown.
    var expected: Int? { get }
}

extension LoadHandle {
    package func waitersChanged() {}
    /// Unknown by default.
    package var expected: Int? { nil }
}

/// The handle of a load that has ended before its loader returned.
package struct EndedLoad: LoadHandle {
    package let received: Int

    /// Creates a handle.
    package init(received: Int = 0) { self.received = received }

    package func cancel() {}
}

/// The handle of a load, shared by its caller and the loader's thread.
///
/// The completion is removed when it is called and so runs once; the other closures are removed with it.
final class LoadTicket: LoadHandle {
    typealias Arrival = @Sendable (TransferResponse) -> Void
    typealias Completion = @Sendable (Result<TransferResponse, TransferError>) -> Void

    /// A structure, because a lock that holds a function itself wraps it in another one with each access.
    private struct Callbacks: Sendable {
        var arrival: Arrival?
        var interim: (@Sendable (InterimResponse) -> Void)?
        var head: TransferRequest.HeadObserver?
        var completion: Completion?
    }

    /// The request, without its closures.
    let request: TransferRequest
    /// Monotonic nanoseconds of the call of `load`; `timeouts.total` counts from here.
    let created: Int64
    private let callbacks: Lock<Callbacks>
    /// The announced bytes of the body; negative while they are unknown.
    private let announced = Atomic<Int>(-1)
    private let bytes = Atomic<Int>(0)
    private let given = Atomic<Bool>(false)
    private let onCancel: @Sendable (LoadTicket) -> Void
    private let onChange: @Sendable (LoadTicket) -> Void

    init(
        _ request: TransferRequest,
        created: Int64,
        onCancel: @escaping @Sendable (LoadTicket) -> Void,
        onChange: @escaping @Sendable (LoadTicket) -> Void = { _ in },
        arrival: Arrival? = nil,
        completion: @escaping Completion
    ) {
        var request = request
        let (interim, head) = (request.interim.take(), request.onHead.take())
        callbacks = Lock(Callbacks(arrival: arrival, interim: interim, head: head, completion: completion))
        self.request = request
        self.created = created
        self.onCancel = onCancel
        self.onChange = onChange
    }

    var received: Int { bytes.load(ordering: .relaxed) }

    var expected: Int? {
        let bytes = announced.load(ordering: .relaxed)
        return bytes < 0 ? nil : bytes
    }

    func waitersChanged() { onChange(self) }

    /// Sets the announced bytes of the body.
    private func expect(_ count: Int?) { announced.store(count ?? -1, ordering: .relaxed) }

    /// Reports the head of a response, with the announced bytes of its body.
    func announceHead(status: Int, expected: Int?) {
        expect(expected)
        let head = callbacks.withLock { $0.head }
        head?(status, expected)
    }

    /// Whether `cancel` has been called.
    var isCancelled: Bool { given.load(ordering: .acquiring) }

    func cancel() {
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onCancel(self)
    }

    /// Adds received bytes.
    func count(_ more: Int) {
        bytes.wrappingAdd(more, ordering: .relaxed)
    }

    /// Whether responses whose body is still arriving are wanted.
    var wantsArrival: Bool { callbacks.withLock { $0.arrival != nil } }

    /// Announces a response whose body is still arriving, unless the load has been completed.
    func announce(_ response: TransferResponse) {
        let arrival = callbacks.withLock { $0.arrival.take() }
        arrival?(response)
    }

    /// Passes an interim response on, unless the load has been completed.
    func announce(_ response: InterimResponse) {
        let interim = callbacks.withLock { $0.interim }
        interim?(response)
    }

    /// Calls the completion on the first call; does nothing afterwards.
    func complete(_ result: Result<TransferResponse, TransferError>) {
        // The closures may refer to the owner of this ticket.
        let all = callbacks.withLock { callbacks in
            defer { callbacks = Callbacks() }
            return callbacks
        }
        all.completion?(result)
    }
}
