import Glibc
import ImagePipeline
import LinuxSystem

/// Whether the cache folder can be had: there or to be made, ours, writable, free, and on a file system that is fit for it.
struct CacheFolderCheck: DoctorCheck {
    let path: String
    private let subject = "cache folder"

    init(path: String) {
        self.path = path
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        switch probe.cacheFolder(path) {
        case .absent: [creatable(probe)] + kind(probe, of: ancestor(probe))
        case .notFolder:
            [.failure(subject, "\(path) is no folder", fix: "remove it, or name another folder as cache.path")]
        case .unreadable(let error) where error.code == EACCES && probe.status(path) == nil:
            // A unit with DynamicUser= keeps it below a folder of root's own, and shows it to the daemon alone.
            [
                .warning(
                    subject,
                    "\(path) cannot be seen by this user: \(error)",
                    fix: "run edgeprint doctor as root, which sees what a unit keeps private; else \(ownership)"
                )
            ]
        case .unreadable(let error):
            [.failure(subject, "\(path) cannot be read: \(error)", fix: ownership)]
        case .foreign:
            [
                .failure(
                    subject,
                    "\(path) holds things of others where the cache would put its own",
                    fix: "name an empty folder as cache.path"
                )
            ]
        case .free: [writable(probe, .ok(subject, "\(path), not used yet"))] + kind(probe, of: path)
        case .cache(let cache): [used(probe, cache)] + kind(probe, of: path)
        }
    }

    private var ownership: String { "chown the folder to the user that serves, or name another as cache.path" }

    private func used(_ probe: any SystemProbe, _ cache: DiskFolderState.Cache) -> Finding {
        if cache.isNewer {
            let message = "\(path) was written by a newer release"
            return .failure(subject, message, fix: "install that release again, or name another folder as cache.path")
        }
        guard let stored = cache.statistics else {
            let message = "\(path) has no index that can be read: the daemon will begin with an empty one"
            return .warning(subject, message, fix: "edgeprint fsck --repair, with the daemon stopped")
        }
        let contents = "\(stored.originals.entries) originals, \(stored.variants.entries) variants"
        let state = cache.isLocked ? "a daemon is at work on it" : "no daemon has it"
        return writable(probe, .ok(subject, "\(path): \(contents); \(state)"))
    }

    private func writable(_ probe: any SystemProbe, _ finding: Finding) -> Finding {
        guard let error = probe.accessError(path, .write) ?? probe.accessError(path, .execute) else { return finding }
        return .failure(subject, "\(path) cannot be written: \(error); nothing would be kept on disk", fix: ownership)
    }

    /// The nearest folder above that is there.
    private func ancestor(_ probe: any SystemProbe) -> String {
        var path = path
        while path.count > 1, probe.status(path) == nil {
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        return path.isEmpty ? "/" : path
    }

    private func creatable(_ probe: any SystemProbe) -> Finding {
        let ancestor = ancestor(probe)
        guard probe.status(ancestor)?.kind == .folder else {
            let message = "\(path) cannot be made: \(ancestor) is no folder"
            return .failure(subject, message, fix: "remove it, or name another folder as cache.path")
        }
        guard let error = probe.accessError(ancestor, .write) else {
            return .ok(subject, "\(path) is not there yet and can be made")
        }
        let message = "\(path) is not there and cannot be made in \(ancestor): \(error)"
        return .failure(
            subject,
            message,
            fix: "install -d -o edgeprint -m 0750 \(path) (the unit: CacheDirectory=edgeprint)"
        )
    }

    /// Whether files stay where they are put, and locks hold.
    private func kind(_ probe: any SystemProbe, of path: String) -> [Finding] {
        guard let system = probe.fileSystem(path) else { return [] }
        if system.isReadOnly {
            let fix = "remount it, or name another folder as cache.path (the unit: CacheDirectory=, ReadWritePaths=)"
            return [.failure("file system", "\(path) is on a read-only file system", fix: fix)]
        }
        guard let name = Self.doubtful[system.type] else { return [] }
        return [.warning("file system", "\(path) is on \(name.name)", fix: name.fix)]
    }

    /// Magic numbers of statfs(2).
    private static let doubtful: [Int64: (name: String, fix: String)] = [
        0x0102_1994: ("tmpfs: it is lost with each start, and its bytes are memory", "name a folder on a disk"),
        0x8584_58F6: ("ramfs: it is lost with each start, and its bytes are memory", "name a folder on a disk"),
        0x6969: ("NFS: SQLite's log and the folder's lock need a local disk", "name a folder on a local disk"),
        0xFF53_4D42: ("CIFS: SQLite's log and the folder's lock need a local disk", "name a folder on a local disk"),
        0xFE53_4D42: ("SMB: SQLite's log and the folder's lock need a local disk", "name a folder on a local disk"),
        0x0102_1997: ("9p: SQLite's log needs shared memory maps, which it may lack", "name a folder on a local disk"),
        0x6573_5546: ("FUSE: SQLite's log needs locks and maps that it may lack", "name a folder on a local disk"),
        0x794C_7630: ("overlayfs: a container's own layer, lost with it", "mount a volume there"),
    ]
}
