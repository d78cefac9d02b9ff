import HTTPSemantics
import ImagePipeline

extension SourceTable {
    /// The originals that a URL can be: of each source whose prefix it begins with, and of `/fetch?url=`.
    ///
    /// A `%` that stands for a plain character, the host's case and the default port make no other URL (RFC 3986 §6.2.2).
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = [OriginRequest(source: remote.rule, url: url)]
        for entry in sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized)
            else { continue }
            found.append(OriginRequest(source: entry.rule, url: url))
        }
        return found
    }
}
