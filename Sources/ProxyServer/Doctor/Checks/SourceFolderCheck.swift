import ImagePipeline
import OriginTransfer

/// Whether the folders of `file:` sources are there, can be read, and are apart from the cache.
struct SourceFolderCheck: DoctorCheck {
    let sources: [ConfiguredSource]
    let cachePath: String

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard !sources.isEmpty else {
            let fix = "add one: edgeprint.yaml shows how, and remote.allow lets /fetch?url= serve hosts"
            return [.note("sources", "none is configured", fix: fix)]
        }
        return sources.map { source in
            let subject = "source \(source.rule.name)"
            return switch source.rule.location {
            case .file(let root): finding(subject, root, probe)
            case .http(let prefix): .ok(subject, "\(Printing.plain(prefix)); not asked")
            case .bucket(let bucket): .ok(subject, "\(Printing.plain(bucket.urlPrefix)); not asked")
            case .remote: .ok(subject, "any URL")
            }
        }
    }

    private func finding(_ subject: String, _ root: String, _ probe: any SystemProbe) -> Finding {
        guard let status = probe.status(root) else {
            let fix = "create it, or correct sources.….url (the unit's ProtectHome= hides /home)"
            return .failure(subject, "the folder \(root) is not there", fix: fix)
        }
        guard status.kind == .folder else {
            return .failure(subject, "\(root) is no folder", fix: "name the folder that holds the pictures")
        }
        if let error = probe.accessError(root, .read) ?? probe.accessError(root, .execute) {
            let fix = "chmod o+rx \(root), or let the user that serves into its group"
            return .failure(subject, "\(root) cannot be read: \(error)", fix: fix)
        }
        let (real, cache) = (probe.realPath(root) ?? root, probe.realPath(cachePath) ?? cachePath)
        if Self.isWithin(real, cache) || Self.isWithin(cache, real) {
            let message =
                "\(root) and the cache folder \(cachePath) lie in each other: cached files could be asked for by name"
            return .failure(subject, message, fix: "move one of them")
        }
        return .ok(subject, root)
    }

    private static func isWithin(_ path: String, _ folder: String) -> Bool {
        func closed(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }
        return closed(path).hasPrefix(closed(folder))
    }
}
