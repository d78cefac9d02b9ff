import HTTPCache
import HTTPSemantics
import LinuxSystem

/// How a variant was warmed.
package enum Warming: Hashable, Sendable {
    /// It was made or revalidated, and is stored.
    case made
    /// It was stored and fresh already.
    case fresh
    /// It was made, but its origin forbids storing it, or there is no room.
    case unstored
}

extension Pipeline {
    /// Fills the cache with a variant, unless it is stored and fresh; any thread, returns immediately (SDWebImage:
    /// `SDWebImagePrefetcher`, and `WaitStoreCache`).
    ///
    /// The download and the transform come after everything that a client waits for.
    ///
    /// - Parameter completion: called once, when the variant is committed to the disk, if its source stores it there.
    /// - Returns: a subscription that cancels the work; the completion may then not be called.
    package func warm(
        _ request: VariantRequest,
        completion: @escaping @Sendable (Result<Warming, PipelineError>) -> Void
    ) -> WarmingSubscription {
        let subscription = WarmingSubscription()
        let isTaken = parts.readLane.submit { [self] in
            guard !isStoredFresh(request) else { return completion(.success(.fresh)) }
            let load = load(request, .warming) { [self] result in
                switch result {
                case .success(let answer):
                    switch answer.status {
                    case .hit(.memory), .hit(.disk): settle(request, .fresh, completion)
                    case .hit(.stale): completion(.failure(.originUnreachable("the origin could not be asked")))
                    default: settle(request, .made, completion)
                    }
                case .failure(let error): completion(.failure(error))
                }
            }
            subscription.set(load)
        }
        if !isTaken { completion(.failure(.diskQueueFull)) }
        return subscription
    }

    /// Reports the end when everything that has been queued for the disk is committed.
    private func settle(
        _ request: VariantRequest,
        _ warming: Warming,
        _ completion: @escaping @Sendable (Result<Warming, PipelineError>) -> Void
    ) {
        let check: @Sendable () -> Void = { [self] in
            let isTaken = parts.readLane.submit { [self] in
                completion(.success(copies(of: request).isEmpty && !isFile(request) ? .unstored : warming))
            }
            if !isTaken { completion(.success(warming)) }
        }
        if let disk = parts.disk { disk.flush(check) } else { check() }
    }

    /// Whether the request is for a file of a folder source, which is served from there.
    private func isFile(_ request: VariantRequest) -> Bool { request.origin.source.isFolder && servesOriginal(request) }

    /// Whether a variant is stored, and fresh, where it survives a restart, or in memory if its source keeps it only there; blocks.
    private func isStoredFresh(_ request: VariantRequest) -> Bool {
        let copies = copies(of: request)
        let isOnDisk = parts.disk != nil && request.keeps.keepOnDisk && !isFile(request)
        return (isOnDisk ? copies.disk : copies.memory)?.isFresh == true
    }
}

/// The subscription of a variant that is being warmed, whose load may not have begun; any thread.
package final class WarmingSubscription: Sendable {
    private enum State: Sendable {
        case starting
        case loading(Subscription)
        case cancelled
    }

    private let state = Lock(State.starting)

    fileprivate init() {}

    fileprivate func set(_ load: Subscription) {
        let isCancelled = state.withLock { state -> Bool in
            if case .cancelled = state { return true }
            state = .loading(load)
            return false
        }
        if isCancelled { load.cancel() }
    }

    /// Detaches the warming from the work in progress, which ends if nothing else waits for it.
    package func cancel() {
        let load = state.withLock { state -> Subscription? in
            defer { state = .cancelled }
            if case .loading(let load) = state { return load }
            return nil
        }
        load?.cancel()
    }
}
