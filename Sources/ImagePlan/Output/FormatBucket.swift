/// The class of an `Accept` field that `format=auto` answers differently: a part of the cache key (contract: cache key).
package enum FormatBucket: UInt8, Hashable, Sendable, CaseIterable {
    case rest = 0
    case webp = 1
    /// WebP is shown by these, too: it stands in where AVIF takes long, or comes out larger.
    case avif = 2

    /// The bucket's name in canonical texts.
    package var name: String {
        switch self {
        case .rest: "rest"
        case .webp: "webp"
        case .avif: "avif"
        }
    }
}
