import HTTPSemantics

/// The result of a request in the access log and metrics; a fixed set, so that labels are bounded.
enum RequestResult: UInt8, Sendable, CaseIterable {
    /// Served from memory.
    case memory
    /// Served from disk.
    case disk
    /// Made from a cached original.
    case original
    /// Found in the store that the nodes of a cluster share, or made from an original in it.
    case shared
    /// Fetched from the origin.
    case miss
    /// Joined another request's fetch.
    case collapsed
    /// The origin confirmed or replaced a stale response.
    case revalidated
    /// Served stale.
    case stale
    /// A cached failure.
    case negative
    /// The owner of the original has answered.
    case owner
    /// The configured fallback image.
    case fallback
    /// A placeholder for an image that is being made.
    case placeholder
    /// Something else in place of an image, under overload.
    case brownout
    /// An error of the request (4xx).
    case refused
    /// An error of the server or the origin (5xx).
    case error
    /// Not an image request.
    case other

    /// The label's value.
    var label: StaticString {
        switch self {
        case .memory: "memory"
        case .disk: "disk"
        case .original: "original"
        case .shared: "shared"
        case .miss: "miss"
        case .collapsed: "collapsed"
        case .revalidated: "revalidated"
        case .stale: "stale"
        case .negative: "negative"
        case .owner: "owner"
        case .fallback: "fallback"
        case .placeholder: "placeholder"
        case .brownout: "brownout"
        case .refused: "refused"
        case .error: "error"
        case .other: "other"
        }
    }

    /// Results that needed no origin.
    private static let hits: [RequestResult] = [.memory, .disk, .original, .shared, .stale, .negative]
    /// The results of image requests that were neither refused nor failed.
    private static let asked = hits + [.miss, .collapsed, .revalidated, .owner, .fallback, .placeholder, .brownout]

    /// The share of image requests that needed no origin, 0–1; `nil` before the first.
    static func hitRatio(_ count: (RequestResult) -> Int) -> Double? {
        let asked = asked.reduce(0) { $0 + count($1) }
        return asked == 0 ? nil : Double(hits.reduce(0) { $0 + count($1) }) / Double(asked)
    }

    /// The result for a `Cache-Status`.
    init(_ status: CacheStatus) {
        switch status {
        case .hit(.memory): self = .memory
        case .hit(.disk): self = .disk
        case .hit(.original): self = .original
        case .hit(.shared): self = .shared
        case .hit(.stale): self = .stale
        case .hit(.negative): self = .negative
        case .forwarded(_, _, collapsed: true): self = .collapsed
        case .forwarded(.stale, _, collapsed: false), .forwarded(.outOfTouch, _, collapsed: false): self = .revalidated
        case .forwarded: self = .miss
        case .owned: self = .owner
        case .fallback: self = .fallback
        case .unasked: self = .refused
        }
    }
}
