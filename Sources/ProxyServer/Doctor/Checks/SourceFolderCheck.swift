import ImagePipeline
import OriginTransfer

/// Checks that the folders of `file:` sources exist, are readable, and do not overlap with the cache folder.
struct SourceFolderCheck: DoctorCheck {
    let sources: [ConfiguredSource]
    let cachePath: String

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard !sources.isEmpty else {
            let fix = "add one as shown in edgeprint.yaml, or allow hosts for /fetch?url= with remote.allow"
            return [.note("sources", "none configured", fix: fix)]
        }
        return sources.map { source in
            let subject = "source \(source.rule.name)"
            return switch source.rule.location {
            case .file(let root): finding(subject, root, probe)
            case .http(let prefix): .ok(subject, "\(Printing.plain(prefix)); not contacted")
            case .bucket(let bucket): .ok(subject, "\(Printing.plain(bucket.urlPrefix)); not contacted")
            case .remote: .ok(subject, "any URL")
            }
        }
    }

    private func finding(_ subject: String, _ root: String, _ probe: any SystemProbe) -> Finding {
        guard let status = probe.status(root) else {
            let fix = "create it, or correct sources.….url (systemd: ProtectHome= hides /home)"
            return .failure(subject, "the folder \(root) does not exist", fix: fix)
        }
        guard status.kind == .folder else {
            return .failure(subject, "\(root) is not a folder", fix: "set the url to the folder of the images")
        }
        if let error = probe.accessError(root, .read) ?? probe.accessError(root, .execute) {
            let fix = "chmod o+rx \(root), or add the daemon's user to its group"
            return .failure(subject, "\(root) is not readable: \(error)", fix: fix)
        }
        guard !cachePath.isEmpty else { return .ok(subject, root) }
        let (real, cache) = (probe.realPath(root) ?? root, probe.realPath(cachePath) ?? cachePath)
        if Self.isWithin(real, cache) || Self.isWithin(cache, real) {
            let message =
                "\(root) and the cache folder \(cachePath) overlap: cached files could be requested by name"
            return .failure(subject, message, fix: "move one of the folders")
        }
        return .ok(subject, root)
    }

    private static func isWithin(_ path: String, _ folder: String) -> Bool {
        func closed(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }
        return closed(path).hasPrefix(closed(folder))
    }
}
