package import LinuxSystem

/// The result of a check.
package struct DiskCheckResult: Hashable, Sendable {
    /// Statistics of one class.
    package struct Class: Hashable, Sendable {
        package var entries = 0
        package var bytes = 0

        /// Creates zeros.
        package init() {}
    }

    /// The totals according to the rows, after repairs.
    package var originals = Class()
    package var variants = Class()
    /// The number of findings by kind.
    package var found: [DiskDamage.Kind: Int] = [:]
    /// The number of findings repaired.
    package var repaired = 0
    /// The number of findings of the second pass; without repairs, all of the first.
    package var remaining = 0

    /// Creates an empty result.
    package init() {}

    /// The number of findings, without files that are not the cache's.
    package var damages: Int { found.reduce(0) { $0 + ($1.key == .unknown ? 0 : $1.value) } }
    /// Whether the folder is sound now.
    package var isSound: Bool { remaining == 0 }
}

/// The progress of a check.
package struct DiskCheckProgress: Hashable, Sendable {
    /// Entries checked, of `total`.
    package var entries = 0
    package var total = 0
    /// Bytes of the entries checked.
    package var bytes = 0

    /// Creates zeros.
    package init() {}
}

/// Why a folder cannot be checked.
package enum DiskCheckError: Error, Hashable, Sendable, CustomStringConvertible {
    case absent(path: String)
    case notFolder(path: String)
    /// The folder has neither Edgeprint's tag nor its index.
    case noCache(path: String)
    case locked(path: String)
    case newerVersion(path: String, found: Int, supported: Int)
    case unreadable(path: String, Errno)
    /// The check or repair itself failed.
    case failed(path: String, reason: String)

    package var description: String {
        switch self {
        case .absent(let path): "the folder \(path) does not exist; check cache.path or --cache-path"
        case .notFolder(let path): "\(path) is not a folder"
        case .noCache(let path):
            "\(path) is not a cache folder of Edgeprint (no tag and no index); nothing was changed"
        case .locked(let path): "the cache folder \(path) is in use by a daemon: stop it first"
        case .newerVersion(let path, let found, let supported):
            "\(path) has layout \(found) of a newer release; this one supports up to \(supported); nothing was changed"
        case .unreadable(let path, let errno): "\(path) cannot be read: \(errno)"
        case .failed(let path, let reason): "\(path): \(reason)"
        }
    }
}

/// Counts and forwards a check's findings; confined to the check's thread.
final class DiskCheckTally {
    var result = DiskCheckResult()
    var progress = DiskCheckProgress()
    private let listener: DiskCheck.Listener

    /// Creates an empty tally.
    init(_ listener: DiskCheck.Listener) {
        self.listener = listener
    }

    /// Counts a finding.
    func count(_ damage: DiskDamage, isRepaired: Bool) {
        result.found[damage.kind, default: 0] += 1
        if isRepaired { result.repaired += 1 }
        listener.found(damage, isRepaired)
    }

    /// Counts an entry's file as checked.
    func look(at bytes: Int) {
        progress.entries += 1
        progress.bytes += bytes
        listener.progress(progress)
    }

    /// Sets the totals.
    func note(_ totals: DiskTotals) {
        result.originals.entries = totals[.originals].entries
        result.originals.bytes = totals[.originals].bytes
        result.variants.entries = totals[.variants].entries
        result.variants.bytes = totals[.variants].bytes
    }
}

extension DiskCare {
    /// Handles findings as a check does.
    init(_ tally: DiskCheckTally, repairs: Bool) {
        self.init(
            repairs: repairs,
            isThorough: true,
            readsBodies: true,
            report: { damage, isRepaired in tally.count(damage, isRepaired: isRepaired) },
            looked: { bytes in tally.look(at: bytes) }
        )
    }
}
