package import LinuxSystem
import HTTPCache

/// The open files of variants that are on disk and not in memory; any thread.
extension Pipeline {
    /// Closes the files that are open only for later hits.
    ///
    /// - Returns: their number; those that are being sent are closed after that.
    package func closeFiles() -> Int { parts.openFiles.removeAll() }

    /// Closes a file from which a response could not be sent to its end, and discards its variants if it has become too short.
    package func noteFailure(of file: SharedDescriptor) {
        var affected: [(key: CacheKey, entity: Entity)] = []
        parts.openFiles.removeAll { key, entity in
            guard case .file(let open, _) = entity.body, open === file else { return false }
            affected.append((key, entity))
            return true
        }
        for (key, entity) in affected { _ = isWhole(entity, key) }
    }

    /// Whether an entity's file still has all its bytes; otherwise the file is closed, and the variant discarded.
    ///
    /// A file is never changed by this program, but what truncates it must not cut off responses until it is closed.
    func isWhole(_ entity: Entity, _ key: CacheKey) -> Bool {
        guard case .file(let file, let length) = entity.body, let actual = file.length, actual < length else {
            return true
        }
        parts.openFiles.remove(key) { $0 === entity }
        parts.disk?.discardDamaged(variant: key, digest: entity.description.digest)
        return false
    }
}
