package import HTTPCache
import HTTPSemantics
import LinuxSystem
import OriginTransfer

/// Look-ups. Each sends at most one request after the other, and ends with a miss when the store takes too long.
extension SharedStore {
    package func find(
        original key: CacheKey,
        atMost limit: Int,
        needsBody: Bool,
        completion: @escaping @Sendable (SharedOriginal?) -> Void
    ) {
        let object = StoreObject.metaKey(key)
        read(ObjectRequest(.get, object, limit: StoreObject.maximumMeta, patience: configuration.reading)) {
            [self] response in
            guard let response else { return completion(nil) }
            let decoded = StoreObject.meta(response.bytes, of: key, isReadable: configuration.isReadable)
            guard let meta = value(decoded, of: object) else { return completion(nil) }
            guard meta.record.length <= limit else {
                note { $0.misses += 1 }
                return completion(nil)
            }
            let record = localized(meta, response)
            let verdict = verdict(PurgeSubject(record), meta.place)
            guard verdict != .purged else {
                note { $0.purged += 1 }
                return completion(nil)
            }
            note { $0.hits += 1 }
            let found = SharedOriginal(record: record, body: nil, needsValidation: verdict == .stale)
            guard needsBody else { return completion(found) }
            find(bodyOf: record) { body in
                var found = found
                found.body = body
                completion(found)
            }
        }
    }

    package func find(bodyOf record: OriginRecord, completion: @escaping @Sendable (OriginBody?) -> Void) {
        let key = StoreObject.bodyKey(record.digest)
        read(ObjectRequest(.getFile, key, limit: record.length, patience: configuration.reading)) {
            [self] response in
            guard let body = response?.body else { return completion(nil) }
            guard body.length == record.length, body.digest.bytes == record.digest.bytes else {
                discard(key)
                return completion(nil)
            }
            note { $0.hits += 1 }
            completion(OriginBody(file: body.file, length: body.length, digest: record.digest))
        }
    }

    package func find(
        result plan: CacheKey,
        of digest: CacheKey,
        for subject: PurgeSubject,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    ) {
        let plan = self.plan(plan)
        let key = StoreObject.key(.result, plan, of: digest)
        let request = ObjectRequest(.get, key, limit: configuration.largestResult, patience: configuration.reading)
        read(request, hasOwnLimit: true) { [self] response in
            guard let response else { return completion(nil) }
            let received = ReceivedResult { [self] in
                let result = StoreObject.result(
                    response.bytes,
                    plan: plan,
                    of: digest,
                    isReadable: configuration.isReadable
                )
                guard let found = value(result, of: key) else { return nil }
                // What was made of this content needs no validation. Where purges may be missing, that of the original tells whether
                // it is still the content.
                guard verdict(subject, found.place) != .purged else {
                    note { $0.purged += 1 }
                    return nil
                }
                note { $0.hits += 1 }
                return SharedResult(record: found.record, bytes: found.bytes)
            }
            completion(received)
        }
    }

    package func find(
        mezzanine plan: CacheKey,
        of digest: CacheKey,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    ) {
        let plan = self.plan(plan, of: .mezzanine)
        let key = StoreObject.key(.mezzanine, plan, of: digest)
        let request = ObjectRequest(.get, key, limit: configuration.largestResult, patience: configuration.reading)
        read(request, hasOwnLimit: true) { [self] response in
            guard let response else { return completion(nil) }
            let received = ReceivedResult { [self] in
                let result = StoreObject.result(
                    response.bytes,
                    as: .mezzanine,
                    plan: plan,
                    of: digest,
                    isReadable: configuration.isReadable
                )
                guard let found = value(result, of: key) else { return nil }
                // No purge makes it wrong: it belongs to the content, which only a usable record names.
                note { $0.hits += 1 }
                return SharedResult(record: found.record, bytes: found.bytes)
            }
            completion(received)
        }
    }

    package func discard(mezzanine plan: CacheKey, of digest: CacheKey) {
        discard(StoreObject.key(.mezzanine, self.plan(plan, of: .mezzanine), of: digest))
    }

    /// Returns the record with the time of its validation by this node's clock.
    private func localized(_ meta: StoreObject.Meta, _ response: ObjectResponse) -> OriginRecord {
        let now = time.wallSeconds
        // Both times are the store's; a second for what they lack of a whole one.
        let elapsed = max(0, (response.date ?? now) - meta.confirmedAt) + 1
        var record = meta.record
        record.freshness.responseTime = now - elapsed
        return record
    }

    private func value<Value>(_ found: StoreObject.Found<Value>, of key: String) -> Value? {
        switch found {
        case .value(let value): return value
        case .newer: note { $0.misses += 1 }
        case .damaged: discard(key)
        }
        return nil
    }

    /// Counts a damaged object, and removes it, because contents are never replaced.
    private func discard(_ key: String) {
        note { $0.damaged += 1 }
        remove(key)
    }

    /// Sends a request, and calls back with a response of status 200; `nil` for anything else.
    ///
    /// - Parameter hasOwnLimit: whether the limit is this node's, so that a longer object is no damaged one.
    private func read(
        _ request: ObjectRequest,
        hasOwnLimit: Bool = false,
        completion: @escaping @Sendable (ObjectResponse?) -> Void
    ) {
        guard let ticket = readBreaker.begin() else {
            note { $0.skipped += 1 }
            return completion(nil)
        }
        reader.send(request) { [self] result in
            switch result {
            case .success(let response) where response.status == 200:
                readBreaker.end(ticket, hasAnswered: true)
                clock.note(response)
                note { $0.reads += 1 }
                completion(response)
            case .success(let response) where response.status == 404:
                readBreaker.end(ticket, hasAnswered: true)
                note {
                    $0.reads += 1
                    $0.misses += 1
                }
                completion(nil)
            case .failure(.tooLarge):
                readBreaker.end(ticket, hasAnswered: true)
                note { $0.reads += 1 }
                if hasOwnLimit { note { $0.misses += 1 } } else { discard(request.key) }
                completion(nil)
            case .failure(.busy), .failure(.closed):
                readBreaker.end(ticket, hasAnswered: nil)
                note { $0.skipped += 1 }
                completion(nil)
            case .success, .failure:
                readBreaker.end(ticket, hasAnswered: false, because: result.reason)
                note {
                    $0.reads += 1
                    if case .failure(.slow) = result { $0.slow += 1 } else { $0.readFailures += 1 }
                }
                completion(nil)
            }
        }
    }
}

extension Result where Success == ObjectResponse, Failure == ObjectFailure {
    /// Why it is a failure, for operators.
    var reason: String {
        switch self {
        case .success(let response): "it answers with status \(response.status)"
        case .failure(.slow): "it does not answer in time"
        case .failure(.broken(let reason)): reason
        case .failure(.tooLarge): "its answer is too long"
        case .failure(.busy): "too many requests are in progress"
        case .failure(.closed): "the daemon is ending"
        }
    }
}
