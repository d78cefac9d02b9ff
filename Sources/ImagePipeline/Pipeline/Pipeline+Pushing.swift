import HTTPCache
import HTTPSemantics
import ImagePlan

extension Pipeline {
    /// The result of a push.
    package enum Push: Hashable, Sendable {
        /// There was no stored original.
        case created
        /// It replaces a stored original; variants made from other bytes are void.
        case replaced
        /// It could not be stored: the disk is unavailable or full, or its fields forbid it.
        case unstored
    }

    /// Stores an original that was sent to the daemon, as if its origin had just sent it (SDWebImage: `storeImage:forKey:`).
    ///
    /// It is examined like a download. Downloads of the original that are in progress are not stored, and its remembered failures
    /// are forgotten. Any thread, returns immediately.
    ///
    /// - Parameter completion: called once, on a pipeline thread, when the original is committed to the disk.
    package func push(
        _ original: PushedOriginal,
        as request: OriginRequest,
        completion: @escaping @Sendable (Result<Push, PipelineError>) -> Void
    ) {
        let isTaken = parts.readLane.submit { [self] in
            do throws(PipelineError) {
                let header = try OriginalHeader.read(original.body, of: request.source)
                if let refusal = HeaderGate.refusal(of: header.format, source: request.source) { throw refusal }
            } catch {
                return completion(.failure(error))
            }
            let selection = PurgeSelection.originals([request.key])
            // Flights that began earlier deliver to their waiters, but do not overwrite what is stored now.
            _ = originals.pool.beginPurge(selection)
            originals.pool.endPurge(selection)
            parts.failures.remove(selection)
            exchange(original, as: request, completion)
        }
        if !isTaken { completion(.failure(.diskQueueFull)) }
    }

    private func exchange(
        _ original: PushedOriginal,
        as request: OriginRequest,
        _ completion: @escaping @Sendable (Result<Push, PipelineError>) -> Void
    ) {
        let stored = OriginalStore.find(request, in: parts)
        let context = CacheExchange<OriginRequest>.Context(
            loader: PushedLoader(original: original, time: parts.time),
            failures: parts.failures,
            lane: parts.readLane,
            time: parts.time,
            progress: parts.progress
        )
        originals.pool.startAlone(request.key, about: PurgeSubject(request)) { [self] result, _ in
            switch result {
            case .success:
                // The owner's, whose content may be another.
                _ = parts.memory.removeAll { _, entity in entity.isHotCopy && entity.origin.record.key == request.key }
                let push = stored == nil ? Push.created : .replaced
                guard let disk = parts.disk else { return completion(.success(.unstored)) }
                disk.flush { [self] in
                    let isTaken = parts.readLane.submit { [self] in
                        completion(.success(copies(of: request).isEmpty ? .unstored : push))
                    }
                    if !isTaken { completion(.success(push)) }
                }
            case .failure(let error): completion(.failure(error))
            }
        } start: { flight in
            CacheExchange(
                CacheRequest(request),
                stored: stored,
                .request,
                store: OriginalStore(
                    request: request,
                    parts: parts,
                    flight: flight,
                    sharesOriginals: false
                ),
                context: context,
                flight: flight
            )
            .start()
        }
    }
}
