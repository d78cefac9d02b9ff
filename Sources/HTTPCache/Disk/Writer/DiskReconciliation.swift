import LinuxSystem

/// The progress of a reconciliation of files and rows.
struct DiskReconciliation {
    enum Phase {
        case temporaries
        case malformed(DiskClass)
        case records(DiskClass)
        case files(DiskClass)
        case rows(DiskClass)
        case origins
        case totals
        case done
    }

    var phase = Phase.temporaries
    /// The first-level fan-out folders left, and the second-level ones of the current one.
    var outer: [String] = []
    var inner: [String] = []
    /// The last row read.
    var row: Int64 = 0

    /// Starts a phase.
    mutating func enter(_ phase: Phase, outer: [String] = []) {
        self = DiskReconciliation(phase: phase, outer: outer)
    }
}

/// Reconciliation after a crash, in small steps: deletes files without rows, rows without files and empty fan-out folders, empties `tmp`
/// and recounts the totals.
///
/// Findings are handled by the session's `care`, so that a check of the folder runs the same code.
extension DiskSession {
    static let rowsAtOnce = 128
    private static let foldersAtOnce = 16

    /// Starts a reconciliation, from the beginning if one is in progress.
    func startReconciling() {
        reconciliation = DiskReconciliation()
        hasSkipped = false
    }

    /// Runs one step of a few milliseconds in transactions of its own.
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
        case .records(let diskClass):
            if try !checkRecords(diskClass, &state) { leaveRecords(diskClass, &state) }
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
        case .variants: state.enter(.records(.originals))
        }
    }

    private func leaveRecords(_ diskClass: DiskClass, _ state: inout DiskReconciliation) {
        switch diskClass {
        case .originals: state.enter(.records(.variants))
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
        // No file is being written: this runs on the writer's thread, between two objects.
        for name in names(in: folder.temporary) {
            let path = "\(folder.temporary)/\(name)"
            care.handle(DiskDamage(.leftover, folder.relative(path))) { remove(path) }
        }
    }

    private func checkFiles(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        for _ in 0..<Self.foldersAtOnce {
            while state.inner.isEmpty, let next = state.outer.popLast() { state.inner = fans(next) }
            guard let leaf = state.inner.popLast() else { return false }
            // One that is not empty stays.
            defer { if care.repairs { try? files.removeFolder(leaf) } }
            for name in names(in: leaf) {
                let path = "\(leaf)/\(name)"
                // Files with other names are not the cache's.
                guard let key = DiskFolder.key(inName: name) else {
                    care.note(DiskDamage(.unknown, folder.relative(path)))
                    continue
                }
                if try currentPath(diskClass, key) == path { continue }
                let isKept = try keeps(path, diskClass)
                if let fault = adoptionFault { throw fault }
                if isKept { continue }
                care.handle(DiskDamage(.orphan, folder.relative(path))) {
                    let isRemoved = remove(path)
                    if diskClass == .variants { shared.noteDeleted(.variants([key])) }
                    return isRemoved
                }
            }
        }
        evictOverQuota()
        return true
    }

    /// The path of a key's file according to its row; `nil` without a body.
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

    /// The names in a folder; empty if it cannot be read.
    private func names(in path: String) -> [String] {
        do throws(Errno) {
            return try files.list(path)
        } catch {
            hasSkipped = true
            care.note(DiskDamage(.unreadable, folder.relative(path), "\(error)"))
            return []
        }
    }

    /// The fan-out folders in a folder.
    private func fans(_ path: String) -> [String] {
        names(in: path).filter { name in
            if DiskFolder.isFan(name) { return true }
            care.note(DiskDamage(.unknown, folder.relative("\(path)/\(name)")))
            return false
        }.map { "\(path)/\($0)" }
    }

    /// Deletes a file.
    ///
    /// - Returns: whether it succeeded.
    private func remove(_ path: String) -> Bool {
        do throws(Errno) {
            try files.remove(path)
            return true
        } catch {
            return false
        }
    }
}

/// The part of a reconciliation that visits rows.
extension DiskSession {
    /// Checks for malformed rows: keys or digests of another size, negative lengths.
    private func checkForm(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            let ids = try index.malformedRows(diskClass, above: state.row, Self.rowsAtOnce)
            for id in ids {
                try care.handle(DiskDamage(.row, "\(diskClass.folder) row \(id)")) { () throws(SQLiteError) in
                    try index.deleteRow(diskClass, id)
                    return true
                }
            }
            state.row = ids.last ?? state.row
            return !ids.isEmpty
        } catch {
            throw .index(error)
        }
    }

    /// Checks for rows whose records lookups cannot read; deletes them with their files, and originals with their variants.
    func checkRecords(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            let isReadable = shared.configuration.isReadable
            let rows = try index.checkedRows(diskClass, above: state.row, Self.rowsAtOnce, isReadable: isReadable)
            for row in rows where !row.isReadable {
                let damage = DiskDamage(.row, "\(diskClass.folder) row \(row.id)", "its record cannot be read")
                try care.handle(damage) { () throws(SQLiteError) in
                    switch diskClass {
                    case .originals: try removeOriginal(row.key)
                    case .variants: if let variant = try index.variantEntry(row.key) { try drop(variant) }
                    }
                    return true
                }
            }
            state.row = rows.last?.id ?? state.row
            return !rows.isEmpty
        } catch {
            throw .index(error)
        }
    }

    /// Checks rows against their files, and variants against their originals.
    private func checkRows(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            switch diskClass {
            case .originals:
                let bodies = try index.bodies(above: state.row, Self.rowsAtOnce)
                for body in bodies {
                    guard let damage = damage(worthTelling: body) else { continue }
                    try care.handle(damage) { () throws(SQLiteError) in
                        guard damage.kind != .unreadable else { return false }
                        try drop(body)
                        return true
                    }
                }
                state.row = bodies.last?.id ?? state.row
                return !bodies.isEmpty
            case .variants:
                let variants = try index.variants(above: state.row, Self.rowsAtOnce)
                for variant in variants { try check(variant) }
                state.row = variants.last?.entry.id ?? state.row
                return !variants.isEmpty
            }
        } catch {
            throw .index(error)
        }
    }

    private func check(_ variant: DiskIndex.VariantEntry) throws(SQLiteError) {
        let found =
            try index.isVoid(variant)
            ? DiskDamage(.void, relativePath(of: variant.entry)) : damage(worthTelling: variant.entry)
        guard let found else { return }
        try care.handle(found) { () throws(SQLiteError) in
            guard found.kind != .unreadable else { return false }
            try drop(variant)
            return true
        }
    }

    /// Checks for originals' rows that nothing needs.
    private func checkOrigins(_ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            let ids = try index.originsWithoutBody(above: state.row, Self.rowsAtOnce)
            // A check does not know whether there is a seed.
            let keepsSeeded = care.isThorough || shared.seed != nil
            for id in ids where try index.isUnused(id, keepsSeeded: keepsSeeded) {
                try care.handle(DiskDamage(.unused, "originals row \(id)")) { () throws(SQLiteError) in
                    try index.deleteOrigin(id)
                    return true
                }
            }
            state.row = ids.last ?? state.row
            return !ids.isEmpty
        } catch {
            throw .index(error)
        }
    }

    /// Recounts the totals.
    private func checkTotals() throws(DiskFault) {
        let stored = totals
        var counted = totals
        do throws(SQLiteError) { counted = try index.countTotals() } catch { throw .index(error) }
        for diskClass in DiskClass.allCases where stored[diskClass] != counted[diskClass] {
            let (old, new) = (stored[diskClass], counted[diskClass])
            let detail = "\(old.entries) entries with \(old.bytes) bytes; actual: \(new.entries) with \(new.bytes)"
            care.handle(DiskDamage(.totals, diskClass.folder, detail)) { true }
        }
        for part in Set(stored.parts.keys).union(counted.parts.keys)
        where stored[part.diskClass] == counted[part.diskClass] && stored.parts[part] != counted.parts[part] {
            let detail = "of namespace \(part.namespace) differ from the rows"
            care.handle(DiskDamage(.totals, part.diskClass.folder, detail)) { true }
        }
        setTotals(counted)
        try begin()
        try commit()
    }

    /// Returns the damage of an entry's file; `nil` if it is sound, or unreadable and that is not reported.
    private func damage(worthTelling entry: DiskIndex.Entry) -> DiskDamage? {
        care.looked?(entry.length)
        do throws(Errno) {
            return try damage(of: entry, readsAll: care.readsBodies).map { DiskDamage($0, relativePath(of: entry)) }
        } catch {
            return care.isThorough ? DiskDamage(.unreadable, relativePath(of: entry), "\(error)") : nil
        }
    }

    private func relativePath(of entry: DiskIndex.Entry) -> String {
        folder.relative(folder.file(entry.diskClass, entry.key, entry.digest))
    }
}
