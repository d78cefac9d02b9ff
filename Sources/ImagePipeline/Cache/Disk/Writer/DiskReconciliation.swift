import LinuxSystem

/// Where the comparison of files and rows has got to; a value that a session steps.
struct DiskReconciliation {
    enum Phase {
        case temporaries
        case malformed(DiskClass)
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
///
/// What is found goes through the session's `care`, so that a check of the folder walks the same way.
extension DiskSession {
    static let rowsAtOnce = 128
    private static let foldersAtOnce = 16

    /// Starts over.
    func startReconciling() {
        reconciliation = DiskReconciliation()
        hasSkipped = false
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
            if care.isThorough { state.enter(.malformed(.originals)) } else { enterFiles(.originals, &state) }
        case .malformed(let diskClass):
            if try !checkForm(diskClass, &state) { leaveForm(diskClass, &state) }
        case .files(let diskClass):
            if try !checkFiles(diskClass, &state) { leaveFiles(diskClass, &state) }
        case .rows(let diskClass):
            if try !checkRows(diskClass, &state) { state.enter(diskClass == .originals ? .rows(.variants) : .origins) }
        case .origins:
            if try !checkOrigins(&state) { state.enter(.totals) }
        case .totals:
            try checkTotals()
            try finishRebuilding()
            evictOverQuota()
            state.enter(.done)
        case .done:
            reconciliation = nil
            return false
        }
        try commit()
        reconciliation = state
        return true
    }

    private func enterFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) {
        state.enter(.files(diskClass), outer: fans(folder.root(of: diskClass)))
    }

    private func leaveForm(_ diskClass: DiskClass, _ state: inout DiskReconciliation) {
        switch diskClass {
        case .originals: state.enter(.malformed(.variants))
        case .variants: enterFiles(.originals, &state)
        }
    }

    private func leaveFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) {
        switch diskClass {
        case .originals: enterFiles(.variants, &state)
        case .variants: state.enter(.rows(.originals))
        }
    }

    private func emptyTemporaries() {
        // Nothing is being written: this runs on the one thread that writes, between two objects.
        for name in names(in: folder.temporary) {
            let path = "\(folder.temporary)/\(name)"
            care.handle(DiskDamage(.leftover, folder.relative(path))) { remove(path) }
        }
    }

    private func checkFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        for _ in 0..<Self.foldersAtOnce {
            while state.inner.isEmpty, let next = state.outer.popLast() { state.inner = fans(next) }
            guard let leaf = state.inner.popLast() else { return false }
            for name in names(in: leaf) {
                let path = "\(leaf)/\(name)"
                // Names that are not ours are not ours to delete.
                guard let key = DiskFolder.key(inName: name) else {
                    care.note(DiskDamage(.unknown, folder.relative(path)))
                    continue
                }
                if try currentPath(diskClass, key) == path { continue }
                let isKept = try keeps(path, diskClass)
                if let fault = adoptionFault { throw fault }
                if isKept { continue }
                care.handle(DiskDamage(.orphan, folder.relative(path))) { remove(path) }
            }
        }
        evictOverQuota()
        return true
    }

    /// The path that a key's file has by its row; `nil` when there should be none.
    private func currentPath(_ diskClass: DiskClass, _ key: CacheKey) throws(DiskFault) -> String? {
        do throws(SQLiteError) {
            let entry =
                switch diskClass {
                case .originals: try index.originEntry(key)?.body
                case .variants: try index.variantEntry(key)?.entry
                }
            return entry.map { folder.file(diskClass, $0.key, $0.digest) }
        } catch {
            throw .index(error)
        }
    }

    /// Names in a folder; none where it cannot be read.
    private func names(in path: String) -> [String] {
        do throws(Errno) {
            return try files.list(path)
        } catch {
            hasSkipped = true
            care.note(DiskDamage(.unreadable, folder.relative(path), "\(error)"))
            return []
        }
    }

    /// Fan-out folders in a folder.
    private func fans(_ path: String) -> [String] {
        names(in: path).filter { name in
            if DiskFolder.isFan(name) { return true }
            care.note(DiskDamage(.unknown, folder.relative("\(path)/\(name)")))
            return false
        }.map { "\(path)/\($0)" }
    }

    /// Deletes a file.
    ///
    /// - Returns: whether it is gone.
    private func remove(_ path: String) -> Bool {
        do throws(Errno) {
            try files.remove(path)
            return true
        } catch {
            return false
        }
    }
}
