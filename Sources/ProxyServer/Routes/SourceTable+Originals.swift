import ImagePipeline
import ImagePlan

extension SourceTable {
    /// The originals at a URL: of each source whose prefix it begins with, and of `/fetch?url=`.
    ///
    /// URLs are compared in normalized form (RFC 3986 §6.2.2).
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = [OriginRequest(source: remote.rule, target: url.text, identity: url.normalized)]
        for entry in sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized)
            else { continue }
            found.append(OriginRequest(source: entry.rule, target: url.text, identity: url.normalized))
        }
        return found
    }
}
