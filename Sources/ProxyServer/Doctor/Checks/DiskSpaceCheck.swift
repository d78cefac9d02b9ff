import ImagePipeline

/// Whether the disk holds the quotas, in bytes and in files.
struct DiskSpaceCheck: DoctorCheck {
    let cache: Configuration.Cache

    /// Bytes of an average file, on the small side: 1920 px of WebP or a photograph's thumbnail.
    private static let averageFile = 64 << 10

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let (path, system) = fileSystem(probe) else {
            return [.note("free disk", "of \(cache.path) is not told", fix: "create the folder, then ask again")]
        }
        let used = usedBytes(probe)
        let left = max(0, cache.originals + cache.variants - used)
        let quotas = "the quotas (cache.originals, cache.variants) may take \(Printing.size(left)) more"
        var findings: [Finding] = []
        if system.freeBytes < left {
            let message = "\(Printing.size(system.freeBytes)) free at \(path); \(quotas)"
            let fix = "lower the quotas to \(Printing.size(used + system.freeBytes * 9 / 10)) together, or free disk"
            findings.append(.warning("free disk", message, fix: fix))
        } else {
            findings.append(.ok("free disk", "\(Printing.size(system.freeBytes)) at \(path); \(quotas)"))
        }
        if let files = system.freeFiles, files < left / Self.averageFile {
            let message = "\(files) inodes free at \(path), where some \(left / Self.averageFile) files may come"
            findings.append(
                .warning("inodes", message, fix: "lower the quotas, or make the file system with more (mkfs -i)")
            )
        }
        return findings
    }

    /// The file system of the folder, or of where it would be made.
    private func fileSystem(_ probe: any SystemProbe) -> (String, FileSystemStatus)? {
        var path = cache.path
        while true {
            if let system = probe.fileSystem(path) { return (path, system) }
            guard let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    /// What the cache has taken of them already.
    private func usedBytes(_ probe: any SystemProbe) -> Int {
        guard case .cache(let state) = probe.cacheFolder(cache.path), let stored = state.statistics else {
            return 0
        }
        return stored.originals.bytes + stored.variants.bytes
    }
}
