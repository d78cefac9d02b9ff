import HTTPCache
import ImagePipeline
import LinuxSystem

/// Cancels a pipeline subscription when its client disconnects, even if that happens before the subscription exists.
final class WaitingRequest: Sendable {
    private enum State: Sendable {
        case starting
        case waiting(Subscription)
        case left
    }

    private let state = Lock(State.starting)

    func join(_ subscription: Subscription) {
        let hasLeft = state.withLock { state -> Bool in
            if case .left = state { return true }
            state = .waiting(subscription)
            return false
        }
        if hasLeft { subscription.cancel() }
    }

    func leave() {
        let subscription = state.withLock { state -> Subscription? in
            defer { state = .left }
            if case .waiting(let subscription) = state { return subscription }
            return nil
        }
        subscription?.cancel()
    }
}
