/// Where the comparison of files and rows has got to; a value that a session steps.
struct DiskReconciliation {
    enum Phase {
        case temporaries
        case files(DiskClass)
        case rows(DiskClass)
        case origins
        case totals
        case done
    }

    var phase = Phase.temporaries
    /// First-level fan-out folders that are still to be looked at, and second-level ones of the current first.
    var outer: [String] = []
    var inner: [String] = []
    /// The last row that was looked at.
    var row: Int64 = 0

    /// Goes on to a phase from its start.
    mutating func enter(_ phase: Phase, outer: [String] = []) {
        self = DiskReconciliation(phase: phase, outer: outer)
    }
}

/// After a crash: files without rows go, rows without files go, `tmp` is emptied, totals are counted; a little at a time.
extension DiskSession {
    private static let rowsAtOnce = 128
    private static let foldersAtOnce = 16

    /// Starts over.
    func startReconciling() {
        reconciliation = DiskReconciliation()
    }

    /// One step, of a few milliseconds, in transactions of its own.
    ///
    /// - Returns: whether there is more to do.
    func continueReconciling() throws(DiskFault) -> Bool {
        guard var state = reconciliation else { return false }
        try commit()
        switch state.phase {
        case .temporaries:
            emptyTemporaries()
            state.enter(.files(.originals), outer: fans(folder.root(of: .originals)))
        case .files(let diskClass):
            if try !checkFiles(diskClass, &state) { leaveFiles(diskClass, &state) }
        case .rows(let diskClass):
            if try !checkRows(diskClass, &state) { state.enter(diskClass == .originals ? .rows(.variants) : .origins) }
        case .origins:
            if try !checkOrigins(&state) { state.enter(.totals) }
        case .totals:
            try recount()
            state.enter(.done)
        case .done:
            reconciliation = nil
            return false
        }
        try commit()
        reconciliation = state
        return true
    }

    private func leaveFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) {
        switch diskClass {
        case .originals: state.enter(.files(.variants), outer: fans(folder.root(of: .variants)))
        case .variants: state.enter(.rows(.originals))
        }
    }

    private func emptyTemporaries() {
        // Nothing is being written: this runs on the one thread that writes, between two objects.
        for name in (try? files.list(folder.temporary)) ?? [] { try? files.remove("\(folder.temporary)/\(name)") }
    }

    private func fans(_ path: String) -> [String] {
        ((try? files.list(path)) ?? []).filter(DiskFolder.isFan).map { "\(path)/\($0)" }
    }

    private func checkFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        for _ in 0..<Self.foldersAtOnce {
            while state.inner.isEmpty, let next = state.outer.popLast() { state.inner = fans(next) }
            guard let leaf = state.inner.popLast() else { return false }
            for name in (try? files.list(leaf)) ?? [] {
                // Names that are not ours are not ours to delete.
                guard let key = DiskFolder.key(inName: name) else { continue }
                guard try currentName(diskClass, key) != name else { continue }
                try? files.remove("\(leaf)/\(name)")
            }
        }
        return true
    }

    /// The name that a key's file has by its row; `nil` when there should be none.
    private func currentName(_ diskClass: DiskClass, _ key: CacheKey) throws(DiskFault) -> String? {
        do throws(SQLiteError) {
            let entry =
                switch diskClass {
                case .originals: try index.originState(key)?.body
                case .variants: try index.variantEntry(key)?.entry
                }
            return entry.map { DiskFolder.name($0.key, $0.digest) }
        } catch {
            throw .index(error)
        }
    }

    private func checkRows(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            switch diskClass {
            case .originals:
                let bodies = try index.bodies(above: state.row, Self.rowsAtOnce)
                for body in bodies where isBroken(body) { try drop(body) }
                state.row = bodies.last?.id ?? state.row
                return !bodies.isEmpty
            case .variants:
                let variants = try index.variants(above: state.row, Self.rowsAtOnce)
                for variant in variants {
                    let isVoid = try index.isVoid(variant)
                    if isVoid || isBroken(variant.entry) { try drop(variant) }
                }
                state.row = variants.last?.entry.id ?? state.row
                return !variants.isEmpty
            }
        } catch {
            throw .index(error)
        }
    }

    /// Origins' rows that nothing needs.
    private func checkOrigins(_ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            let ids = try index.originsWithoutBody(above: state.row, Self.rowsAtOnce)
            for id in ids { try index.deleteOriginIfUnused(id) }
            state.row = ids.last ?? state.row
            return !ids.isEmpty
        } catch {
            throw .index(error)
        }
    }
}
