import LinuxSystem
import Synchronization

/// A load as its asker holds it, and as the loader's thread knows it.
///
/// The completion is taken out when it is called, so that it cannot be called twice.
final class LoadTicket: LoadHandle {
    typealias Completion = @Sendable (Result<OriginResponse, PipelineError>) -> Void

    let fetch: OriginFetch
    /// Monotonic nanoseconds of the asking: `timeouts.total` counts from here.
    let created: Int64
    private let completion: Lock<Completion?>
    private let bytes = Atomic<Int>(0)
    private let given = Atomic<Bool>(false)
    private let onCancel: @Sendable (LoadTicket) -> Void

    init(
        _ fetch: OriginFetch,
        created: Int64,
        onCancel: @escaping @Sendable (LoadTicket) -> Void,
        completion: @escaping Completion
    ) {
        self.fetch = fetch
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
    func complete(_ result: Result<OriginResponse, PipelineError>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
