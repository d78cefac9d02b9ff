import HTTPCache
import LinuxSystem

/// Looks originals up in the store that the nodes of a cluster share, after memory and disk and before the origin.
struct SharedOriginalStage: Sendable {
    let store: OriginalStore
    /// Whether the content is needed.
    let needsBody: Bool

    private var parts: PipelineParts { store.parts }

    /// Whether the shared store may have what is not stored here: an original, or only its content.
    func mayReplace(_ stored: StoredResponse?) -> Bool {
        guard let shared = parts.shared, store.isShared, shared.isAvailable else { return false }
        guard let stored else { return true }
        if case .evicted = stored.content { return needsBody && stored.original != nil }
        return false
    }

    /// Looks the original up.
    ///
    /// - Parameters:
    ///   - stored: the original without its content; `nil` for none.
    ///   - completion: called on the read lane with what was found, which is stored here by then; with `nil` on any thread.
    func find(insteadOf stored: StoredResponse?, completion: @escaping @Sendable (StoredResponse?) -> Void) {
        guard let shared = parts.shared else { return completion(nil) }
        if let original = stored?.original {
            shared.find(bodyOf: original.record) { body in
                guard let body else { return completion(nil) }
                resume { completion(restore(body, of: original)) }
            }
        } else {
            let limit = store.request.source.limits.sourceBytes
            shared.find(original: store.request.key, atMost: limit, needsBody: needsBody) { found in
                guard let found else { return completion(nil) }
                resume { completion(adopt(found)) }
            }
        }
    }

    /// Returns what to ask before an original is downloaded of which nothing is stored here; `nil` if no other node need know of it.
    ///
    /// A request with directives of its own waits for no node.
    func leases(for request: CacheRequest<OriginRequest>) -> (any DownloadLeasing)? {
        guard let leases = parts.leases, let shared = parts.shared, store.isShared,
            store.request.keeps.originals.keepOnDisk,
            shared.isAvailable, shared.isWritingPromptly, parts.progress.isInTouch,
            request.demand == .none,
            // After a wait in vain there has to be time for the download.
            !request.deadline.isPast(at: parts.time.monotonic + 2 * leases.longestWait),
            // These fail at once, or are a single attempt that nobody is to wait for.
            parts.failures.backoffError(for: request.failureKey) == nil, !parts.failures.isProbed(request.failureKey)
        else { return nil }
        return leases
    }

    /// Waits while another node downloads the original.
    ///
    /// - Parameter completion: called on the read lane, if that has room: with what another node has stored, which is stored here
    ///   by then; otherwise this node is to download it, with a lease or without one.
    func takeTurn(
        _ request: CacheRequest<OriginRequest>,
        _ leases: any DownloadLeasing,
        completion: @escaping @Sendable (StoredResponse?, DownloadLease?) -> Void
    ) {
        // As for flights: what an origin answers to requests that have come through a certain proxy is for those alone to wait for.
        let suffix = request.caller.keySuffix
        let key = suffix.isEmpty ? request.key : CacheKey(hashing: "lease/1\n\(request.key)\(suffix)")
        leases.take(original: key) { found in
            find(insteadOf: nil, completion: found)
        } completion: { (turn: DownloadTurn<StoredResponse>) in
            let lease: DownloadLease?
            switch turn {
            case .found(let response): return completion(response, nil)
            case .own(let own): lease = own
            case .free: lease = nil
            }
            // Without room on the lane, starting a download here is better than failing.
            if !parts.readLane.submit({ completion(nil, lease) }) { completion(nil, lease) }
        }
    }

    private func resume(_ work: @escaping @Sendable () -> Void) {
        if !parts.readLane.submit(work) {
            store.flight.finish(.failure(.diskQueueFull))
        }
    }

    /// Stores an original of another node here, as if this node had received it.
    private func adopt(_ found: SharedOriginal) -> StoredResponse {
        var record = found.record
        // The other node's means nothing here.
        record.stamp = found.needsValidation ? .unknown : store.stamp.secondHand
        if found.needsValidation { record.expire(at: parts.time.wallSeconds) }
        let original = store.publish(record) {
            if let body = found.body { store.keep(record, body, isOnDisk: false) }
        }
        var response = StoredResponse(original, found.body)
        if found.needsValidation {
            original.state.requireValidation()
            response.requireValidation()
        }
        return response
    }

    /// Stores the content of an original whose record is stored here.
    private func restore(_ body: OriginBody, of original: OriginSnapshot) -> StoredResponse {
        if !store.request.keepsNothing {
            _ = store.flight.publish(of: original.record) { store.keep(original.record, body, isOnDisk: false) }
        }
        return StoredResponse(original, body)
    }
}

/// Writing to the shared store.
extension OriginalStore {
    /// Whether the original is one that all nodes have in common, and may be stored.
    var isShared: Bool {
        guard parts.shared != nil, request.source.cache.originals.keepOnDisk else { return false }
        return !request.source.isFolder && request.url != nil
    }

    /// Queues a record, and its content if that is new, for the other nodes.
    func share(_ record: OriginRecord, _ body: OriginBody?) {
        guard sharesOriginals, isShared, request.keeps.originals.keepOnDisk, let shared = parts.shared else { return }
        guard let lease else { return shared.store(original: record, body: body, at: place) }
        lease.passOn()
        shared.store(original: record, body: body, at: place) { lease.end($0 ? .shared : .abandoned) }
    }
}
