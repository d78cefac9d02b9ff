import LinuxSystem
import Synchronization

/// A load, shared by its caller, who may cancel it, and the loader's thread.
///
/// The completion is taken out when it is called, so that it cannot be called twice.
final class LoadTicket: LoadHandle {
    typealias Completion = @Sendable (Result<TransferResponse, TransferError>) -> Void

    let request: TransferRequest
    /// Monotonic nanoseconds at which the load was asked for; `timeouts.total` counts from here.
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

    /// Whether `cancel` was called.
    var isCancelled: Bool { given.load(ordering: .acquiring) }

    func cancel() {
        guard !given.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onCancel(self)
    }

    func count(_ more: Int) {
        bytes.wrappingAdd(more, ordering: .relaxed)
    }

    /// Calls the completion, the first time only.
    func complete(_ result: Result<TransferResponse, TransferError>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
