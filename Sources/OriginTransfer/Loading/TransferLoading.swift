import LinuxSystem
import Synchronization

/// A loader of originals; any thread.
package protocol TransferLoading: Sendable {
    /// Starts a load and returns immediately.
    ///
    /// `completion` is called exactly once on the loader's thread, also for cancelled loads. It must not block.
    func load(
        _ request: TransferRequest,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle
}

/// A running load; any thread.
package protocol LoadHandle: Sendable {
    /// Cancels the load; its completion receives `.cancelled` unless it has already been called.
    func cancel()
    /// Bytes of the body received so far.
    var received: Int { get }
}

/// The handle of a load, shared by its caller and the loader's thread.
///
/// The completion is removed when it is called and so runs once.
final class LoadTicket: LoadHandle {
    typealias Completion = @Sendable (Result<TransferResponse, TransferError>) -> Void

    let request: TransferRequest
    /// Monotonic nanoseconds of the call of `load`; `timeouts.total` counts from here.
    let created: Int64
    private let completion: Lock<Completion?>
    private let bytes = Atomic<Int>(0)
    private let given = Atomic<Bool>(false)
    private let onCancel: @Sendable (LoadTicket) -> Void

    init(
        _ request: TransferRequest,
        created: Int64,
        onCancel: @escaping @Sendable (LoadTicket) -> Void,
        completion: @escaping Completion
    ) {
        self.request = request
        self.created = created
        self.onCancel = onCancel
        self.completion = Lock(completion)
    }

    var received: Int { bytes.load(ordering: .relaxed) }

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

    /// Calls the completion on the first call; does nothing afterwards.
    func complete(_ result: Result<TransferResponse, TransferError>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
