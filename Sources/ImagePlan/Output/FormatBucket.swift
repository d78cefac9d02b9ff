/// The class of an `Accept` field that `format=auto` answers differently: a part of the cache key (contract: cache key).
package enum FormatBucket: UInt8, Hashable, Sendable, CaseIterable {
    case rest = 0
    case webp = 1
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
