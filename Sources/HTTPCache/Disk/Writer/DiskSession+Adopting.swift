import Glibc
import HTTPSemantics
import LinuxSystem

/// Adopting files of a lost index: rows are rebuilt from trailers.
///
/// An existing row wins over a trailer, which is as old as its body. An adopted original is stale, since a later 304 may have
/// changed its fields (RFC 9111 §4.3.4): it is revalidated before use. Bodies are verified when they are read.
extension DiskSession {
    /// Whether to keep a file without a row: it was adopted, or a newer release's.
    func keeps(_ path: String, _ diskClass: DiskClass) throws(DiskFault) -> Bool {
        guard isRebuilding else { return false }
        do throws(Errno) {
            let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW)
            switch try ContentTrailer.read(file, files) {
            case .none: return false
            case .newer:
                care.note(DiskDamage(.unknown, folder.relative(path), "written by a newer release"))
                return true
            case .trailer(let trailer, let length):
                guard (trailer.variant == nil) == (diskClass == .originals),
                    folder.file(diskClass, trailer.key, trailer.digest) == path
                else { return false }
                return try adopted(trailer, length)
            }
        } catch {
            // Undecided: the file stays, and rebuilding does not end.
            hasSkipped = true
            care.note(DiskDamage(.unreadable, folder.relative(path), "\(error)"))
            return true
        }
    }

    /// Adopts a file; keeps a `DiskFault` for the caller, as the function throws `Errno`.
    private func adopted(_ trailer: ContentTrailer, _ length: Int) throws(Errno) -> Bool {
        guard care.repairs else { return true }
        do throws(DiskFault) {
            return try adopt(trailer, length)
        } catch {
            adoptionFault = adoptionFault ?? error
            return true
        }
    }

    private func adopt(_ trailer: ContentTrailer, _ length: Int) throws(DiskFault) -> Bool {
        var origin = trailer.origin
        origin.freshness.lifetime = 0
        do throws(SQLiteError) {
            let subject = trailer.variant.map { PurgeSubject($0, of: origin) } ?? PurgeSubject(origin)
            guard try !index.wasRemoved(subject) else { return false }
        } catch {
            throw .index(error)
        }
        try begin()
        let isTaken =
            if let variant = trailer.variant {
                try adopt(variant, of: origin, trailer: length)
            } else {
                try adopt(origin, trailer: length)
            }
        if isTaken {
            totals.add(trailer.variant == nil ? .originals : .variants, trailer.bodyLength, in: origin.namespace)
            shared.count { $0.adoptions += 1 }
        }
        return isTaken
    }

    private func adopt(_ origin: OriginRecord, trailer: Int) throws(DiskFault) -> Bool {
        let state = try originEntry(origin.key)
        do throws(SQLiteError) {
            guard let state else {
                _ = try index.putOrigin(origin, hasBody: true, trailer: trailer, use: adoptionUse)
                return true
            }
            guard !state.hasBody, state.digest == origin.digest, state.length == origin.length else { return false }
            try index.addBody(state.id, trailer: trailer)
            return true
        } catch {
            throw .index(error)
        }
    }

    private func adopt(_ variant: VariantRecord, of origin: OriginRecord, trailer: Int) throws(DiskFault) -> Bool {
        let state = try originEntry(origin.key)
        do throws(SQLiteError) {
            guard try index.variantEntry(variant.key) == nil else { return false }
        } catch {
            throw .index(error)
        }
        if let state, state.digest != origin.digest,
            state.hasBody || state.responseTime >= origin.freshness.responseTime
        {
            return false
        }
        let isKnown = state?.digest == origin.digest
        let id =
            if isKnown, let state { state.id } else { try put(origin, over: state, body: .none, use: adoptionUse) }
        do throws(SQLiteError) {
            try index.putVariant(
                variant,
                origin: id,
                namespace: origin.namespace,
                trailer: trailer,
                use: adoptionUse
            )
            return true
        } catch {
            throw .index(error)
        }
    }

    /// An unknown use, ordered before all known ones.
    private var adoptionUse: DiskIndex.Use {
        DiskIndex.Use(order: 0, wallSeconds: shared.configuration.time.wallSeconds)
    }

    /// Ends rebuilding after a walk over all files.
    func finishRebuilding() throws(DiskFault) {
        guard isRebuilding, care.repairs, !hasSkipped else { return }
        try begin()
        do throws(SQLiteError) { try index.endRebuilding(keepsRemovals: shared.seed != nil) } catch {
            throw .index(error)
        }
        try commit()
        isRebuilding = false
    }
}
