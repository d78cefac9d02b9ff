import HTTPCache

extension Pipeline {
    /// Delays a completion until the response has been committed to disk, or cannot be.
    ///
    /// Failures are not delayed. The completion then runs on the read lane, or on the thread of the writer if that lane is full.
    func afterCommit(
        of request: VariantRequest,
        _ completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> @Sendable (Result<Answer, PipelineError>) -> Void {
        { [parts] result in
            guard case .success(var answer) = result else { return completion(result) }
            answer.isStored = false
            let unstored = answer
            let isKept =
                answer.entity.isOriginal ? request.origin.keeps.originals.keepOnDisk : request.keeps.keepOnDisk
            guard let disk = parts.disk, isKept else { return completion(.success(unstored)) }
            disk.flush {
                let isTaken = parts.readLane.submit {
                    var answer = unstored
                    answer.isStored = Self.isStored(unstored.entity, of: request, on: disk)
                    completion(.success(answer))
                }
                if !isTaken { completion(.success(unstored)) }
            }
        }
    }

    /// Whether the bytes of an entity can be read from disk; blocks.
    private static func isStored(_ entity: Entity, of request: VariantRequest, on disk: any DiskStoring) -> Bool {
        guard !entity.isOriginal else {
            guard let stored = disk.origin(request.origin.key), stored.file != nil else { return false }
            return stored.record.digest == entity.description.digest
        }
        return disk.variant(request.key) != nil
    }
}
