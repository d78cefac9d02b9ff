import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem

/// Checks that the cache folder exists or can be created, is writable, and is on a suitable file system.
struct CacheFolderCheck: DoctorCheck {
    let path: String
    private let subject = "cache folder"

    init(path: String) {
        self.path = path
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard !path.isEmpty else {
            return [.ok(subject, "off (cache.path): results are kept in memory, and lost at a restart")]
        }
        return findingsOfFolder(probe)
    }

    private func findingsOfFolder(_ probe: any SystemProbe) -> [Finding] {
        switch probe.cacheFolder(path) {
        case .absent: [creatable(probe)] + kind(probe, of: ancestor(probe))
        case .notFolder:
            [.failure(subject, "\(path) is not a folder", fix: "remove it, or set cache.path to another folder")]
        case .unreadable(let error) where error.code == EACCES && probe.status(path) == nil:
            // A unit with DynamicUser= has it below a folder of root's, visible only to the daemon.
            [
                .warning(
                    subject,
                    "\(path) is not accessible by this user: \(error)",
                    fix:
                        "run edgeprint doctor as root, which can access the unit's private folder; otherwise \(ownership)"
                )
            ]
        case .unreadable(let error):
            [.failure(subject, "\(path) cannot be read: \(error)", fix: ownership)]
        case .foreign:
            [
                .failure(
                    subject,
                    "\(path) contains foreign files where the cache would put its own",
                    fix: "set cache.path to an empty folder"
                )
            ]
        case .free: [writable(probe, .ok(subject, "\(path), not used yet"))] + kind(probe, of: path)
        case .cache(let cache): [used(probe, cache)] + kind(probe, of: path)
        }
    }

    private var ownership: String { "chown the folder to the daemon's user, or set cache.path to another one" }

    private func used(_ probe: any SystemProbe, _ cache: DiskFolderState.Cache) -> Finding {
        if cache.isNewer {
            let message = "\(path) was written by a newer release"
            return .failure(subject, message, fix: "install that release again, or set cache.path to another folder")
        }
        guard let stored = cache.statistics else {
            let message = "the index of \(path) cannot be read: the daemon will start with an empty one"
            return .warning(subject, message, fix: "stop the daemon and run edgeprint fsck --repair")
        }
        let contents = "\(stored.originals.entries) originals, \(stored.variants.entries) variants"
        let state = cache.isLocked ? "in use by a daemon" : "not in use"
        return writable(probe, .ok(subject, "\(path): \(contents); \(state)"))
    }

    private func writable(_ probe: any SystemProbe, _ finding: Finding) -> Finding {
        guard let error = probe.accessError(path, .write) ?? probe.accessError(path, .execute) else { return finding }
        return .failure(subject, "\(path) is not writable: \(error); nothing would be cached on disk", fix: ownership)
    }

    /// The nearest existing ancestor.
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
            let message = "\(path) cannot be created: \(ancestor) is not a folder"
            return .failure(subject, message, fix: "remove it, or set cache.path to another folder")
        }
        guard let error = probe.accessError(ancestor, .write) else {
            return .ok(subject, "\(path) does not exist yet and can be created")
        }
        let message = "\(path) does not exist and cannot be created in \(ancestor): \(error)"
        return .failure(
            subject,
            message,
            fix: "install -d -o edgeprint -m 0750 \(path) (the unit: CacheDirectory=edgeprint)"
        )
    }

    /// Checks that the file system is persistent and supports locks.
    private func kind(_ probe: any SystemProbe, of path: String) -> [Finding] {
        guard let system = probe.fileSystem(path) else { return [] }
        if system.isReadOnly {
            let fix = "remount it, or set cache.path to another folder (systemd: CacheDirectory=, ReadWritePaths=)"
            return [.failure("file system", "\(path) is on a read-only file system", fix: fix)]
        }
        guard let name = Self.doubtful[system.type] else { return [] }
        return [.warning("file system", "\(path) is on \(name.name)", fix: name.fix)]
    }

    /// Magic numbers of statfs(2).
    private static let doubtful: [Int64: (name: String, fix: String)] = [
        0x0102_1994: ("tmpfs: it is lost at reboot and uses memory", "use a folder on a disk"),
        0x8584_58F6: ("ramfs: it is lost at reboot and uses memory", "use a folder on a disk"),
        0x6969: ("NFS: SQLite's log and the folder's lock need a local disk", "use a folder on a local disk"),
        0xFF53_4D42: ("CIFS: SQLite's log and the folder's lock need a local disk", "use a folder on a local disk"),
        0xFE53_4D42: ("SMB: SQLite's log and the folder's lock need a local disk", "use a folder on a local disk"),
        0x0102_1997: ("9p: SQLite's log needs shared memory maps, which it may lack", "use a folder on a local disk"),
        0x6573_5546: ("FUSE: SQLite's log needs locks and maps that it may lack", "use a folder on a local disk"),
        0x794C_7630: ("overlayfs: the container's own layer, which is lost with it", "mount a volume there"),
    ]
}
