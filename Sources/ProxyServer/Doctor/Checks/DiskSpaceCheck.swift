import HTTPCache
import ImagePipeline

/// Checks that the disk has enough space and inodes for the quotas.
struct DiskSpaceCheck: DoctorCheck {
    let cache: Configuration.Cache

    /// A conservative average file size in bytes.
    private static let averageFile = 64 << 10

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let (path, system) = fileSystem(probe) else {
            return [.note("free disk", "of \(cache.path) is unknown", fix: "create the folder, then run doctor again")]
        }
        let used = usedBytes(probe)
        let left = max(0, cache.originals + cache.variants - used)
        let quotas = "the quotas (cache.originals, cache.variants) may use \(Printing.size(left)) more"
        var findings: [Finding] = []
        if system.freeBytes < left {
            let message = "\(Printing.size(system.freeBytes)) free at \(path); \(quotas)"
            let fix =
                "lower the quotas to \(Printing.size(used + system.freeBytes * 9 / 10)) in total, or free disk space"
            findings.append(.warning("free disk", message, fix: fix))
        } else {
            findings.append(.ok("free disk", "\(Printing.size(system.freeBytes)) at \(path); \(quotas)"))
        }
        if let files = system.freeFiles, files < left / Self.averageFile {
            let message = "\(files) inodes free at \(path), but about \(left / Self.averageFile) files may be stored"
            findings.append(
                .warning(
                    "inodes",
                    message,
                    fix: "lower the quotas, or create the file system with more inodes (mkfs -i)"
                )
            )
        }
        return findings
    }

    /// The file system of the folder, or of its nearest existing ancestor.
    private func fileSystem(_ probe: any SystemProbe) -> (String, FileSystemStatus)? {
        var path = cache.path
        while true {
            if let system = probe.fileSystem(path) { return (path, system) }
            guard let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    /// The bytes that the cache already uses.
    private func usedBytes(_ probe: any SystemProbe) -> Int {
        guard case .cache(let state) = probe.cacheFolder(cache.path), let stored = state.statistics else {
            return 0
        }
        return stored.originals.bytes + stored.variants.bytes
    }
}
