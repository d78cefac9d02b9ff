import HTTPCache
import LinuxSystem
import OriginTransfer
import Synchronization

/// Tells an observer about one transfer.
final class ObservedLoad: Sendable {
    private static let lastNumber = Atomic<Int>(0)

    private let observer: any ActivityObserving
    private let origin: OriginRequest
    private let time = SystemTime()
    private let number: Int
    private let start: Int64
    private let hasHead = Atomic<Bool>(false)

    /// Creates the record of a transfer that starts now.
    init(_ origin: OriginRequest, _ observer: any ActivityObserving) {
        self.origin = origin
        self.observer = observer
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        start = time.monotonic
        observer.note(event(.started))
    }

    /// Reports that the head of the response has been received.
    func began(status: Int, expected: Int?) {
        guard !hasHead.exchange(true, ordering: .relaxed) else { return }
        var event = event(.received)
        event.status = status
        event.bytes = expected
        observer.note(event)
    }

    /// Reports the transfer's end.
    func ended(_ result: Result<FetchedResponse, PipelineError>) {
        var event: ActivityEvent
        switch result {
        case .success(let response):
            began(status: response.status, expected: response.content.knownLength)
            event = self.event(.finished)
            event.status = response.status
            event.bytes = response.content.knownLength
        case .failure(.cancelled):
            event = self.event(.cancelled)
        case .failure(let error):
            event = self.event(.failed)
            event.error = error.text?.word ?? "\(error)"
        }
        event.milliseconds = Int((time.monotonic - start) / 1_000_000)
        observer.note(event)
    }

    private func event(_ kind: ActivityEvent.Kind) -> ActivityEvent {
        var event = ActivityEvent(kind, source: origin.source.name, url: origin.target.text)
        event.transfer = number
        return event
    }
}

extension FetchedResponse.Content {
    /// The bytes of the content; `nil` while they are not known.
    fileprivate var knownLength: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(let body): body.length
        case .growing(let file): file.expected
        }
    }
}
