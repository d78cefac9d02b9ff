import HTTPCache
import ImagePipeline
import LinuxSystem

/// Cancels a pipeline subscription when its client disconnects, even if that happens before the subscription exists.
final class WaitingRequest: Sendable {
    private enum State: Sendable {
        case starting
        case waiting(Subscription)
        case left
        /// The work continues without the client.
        case staying
    }

    private let state = Lock(State.starting)

    /// Whether the client has left.
    var hasLeft: Bool { state.withLock { if case .left = $0 { true } else { false } } }

    func join(_ subscription: Subscription) {
        let hasLeft = state.withLock { state -> Bool in
            switch state {
            case .left: return true
            case .staying: return false
            case .starting, .waiting:
                state = .waiting(subscription)
                return false
            }
        }
        if hasLeft { subscription.cancel() }
    }

    /// Lets the work continue if the client leaves; false if it has left already.
    func stay() -> Bool {
        state.withLock { state in
            if case .left = state { return false }
            state = .staying
            return true
        }
    }

    func leave() {
        let subscription = state.withLock { state -> Subscription? in
            switch state {
            case .staying: return nil
            case .waiting(let subscription):
                state = .left
                return subscription
            case .starting, .left:
                state = .left
                return nil
            }
        }
        subscription?.cancel()
    }
}
