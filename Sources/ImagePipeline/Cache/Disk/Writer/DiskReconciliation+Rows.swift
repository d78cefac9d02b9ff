import LinuxSystem

/// The rows' half of a reconciliation.
extension DiskSession {
    /// Rows that no lookup finds: keys and digests of another size, lengths below zero.
    func checkForm(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
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

    /// Rows whose files are not as they say, and variants of what is not stored any more.
    func checkRows(_ diskClass: DiskClass, _ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
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

    /// Origins' rows that nothing needs.
    func checkOrigins(_ state: inout DiskReconciliation) throws(DiskFault) -> Bool {
        try begin()
        do throws(SQLiteError) {
            let ids = try index.originsWithoutBody(above: state.row, Self.rowsAtOnce)
            // A check by hand does not know whether there is a seed.
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

    /// Counts anew.
    func checkTotals() throws(DiskFault) {
        let stored = totals
        var counted = totals
        do throws(SQLiteError) { counted = try index.countTotals() } catch { throw .index(error) }
        for diskClass in DiskClass.allCases where stored[diskClass] != counted[diskClass] {
            let (old, new) = (stored[diskClass], counted[diskClass])
            let detail = "\(old.entries) entries of \(old.bytes) bytes, in truth \(new.entries) of \(new.bytes)"
            care.handle(DiskDamage(.totals, diskClass.folder, detail)) { true }
        }
        totals = counted
        try begin()
        try commit()
    }

    /// What is wrong with an entry's file; `nil` where nothing is, or where it cannot be told and nobody asks.
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
