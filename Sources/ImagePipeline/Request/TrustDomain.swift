import HTTPCache
import HTTPSemantics
package import OriginTransfer

extension SourceRule {
    /// Which jobs may share a worker process (`isolate`).
    package enum Isolation: String, Hashable, Sendable, CaseIterable {
        /// Those of all sources without isolation.
        case none
        /// Those of the source.
        case source
        /// Those of all sources of the site that set this.
        case site
        /// Those of the source for one host of requested URLs; only for `/fetch`.
        case host
    }

    /// Returns the trust domain of a job for an original; `nil` for the one that all sources without isolation share.
    ///
    /// A worker process runs jobs of one domain only, so that a file that takes over its decoder neither sees nor alters images of
    /// another. Redirects do not change the domain. The content of `data:` URLs has a domain of its own.
    package func trustDomain(of target: OriginTarget) -> String? {
        switch isolation {
        case .none: nil
        case .source: "source \(name)"
        // A site's name has no space, so that no source is mistaken for a site.
        case .site: "site \(CacheNamespace.of(source: name))"
        case .host: "host \(name) \(target.url?.hostText ?? "data:")"
        }
    }
}
