package import HTTPCache
package import HTTPSemantics
import OriginTransfer

extension OriginRequest: CacheOrigin {
    package typealias Failure = PipelineError

    package var rule: CacheRule { CacheRule(source) }
    package var url: OriginURL? { target.url }
    package var text: String { target.text }
}

extension CacheRule {
    /// The cache settings of a source's rule.
    init(_ source: SourceRule) {
        self.init(
            name: source.name,
            isRaw: source.isRaw,
            storesCookies: source.setCookie == .store,
            negative: source.negative,
            ttl: source.ttl,
            ttlMinimum: source.ttlMinimum,
            ttlMaximum: source.ttlMaximum,
            staleWhileRevalidate: source.staleWhileRevalidate,
            staleIfError: source.staleIfError,
            cache: source.cache,
            isFolder: source.isFolder,
            isRemote: source.location == .remote
        )
        continues = source.continues
    }
}
