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
            shared.find(original: store.request.key, needsBody: needsBody) { found in
                guard let found else { return completion(nil) }
                resume { completion(adopt(found)) }
            }
        }
    }

    private func resume(_ work: @escaping @Sendable () -> Void) {
        if !parts.readLane.submit(work) {
            store.flight.finish(.failure(.overloaded("too many requests are waiting for the disk")))
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
        guard sharesOriginals, isShared, request.keeps.originals.keepOnDisk else { return }
        parts.shared?.store(original: record, body: body, at: place)
    }
}
