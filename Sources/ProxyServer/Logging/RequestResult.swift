import HTTPSemantics

/// What became of a request, as access log and metrics name it: a closed set, so that labels have a bound.
enum RequestResult: UInt8, Sendable, CaseIterable {
    /// Answered from memory.
    case memory
    /// Answered from disk.
    case disk
    /// Made from a cached original.
    case original
    /// Fetched.
    case miss
    /// Waited for another request's fetch.
    case collapsed
    /// The origin confirmed or replaced a stale response.
    case revalidated
    /// Stale, served all the same.
    case stale
    /// A stored failure.
    case negative
    /// The configured fallback picture.
    case fallback
    /// Refused: the request's own fault (4xx).
    case refused
    /// Failed: the daemon's or the origin's fault (5xx).
    case error
    /// No picture was asked for.
    case other

    /// The label's value.
    var label: StaticString {
        switch self {
        case .memory: "memory"
        case .disk: "disk"
        case .original: "original"
        case .miss: "miss"
        case .collapsed: "collapsed"
        case .revalidated: "revalidated"
        case .stale: "stale"
        case .negative: "negative"
        case .fallback: "fallback"
        case .refused: "refused"
        case .error: "error"
        case .other: "other"
        }
    }

    /// Results that needed no origin.
    private static let hits: [RequestResult] = [.memory, .disk, .original, .stale, .negative]
    /// Results of requests for pictures that were neither refused nor failed.
    private static let asked = hits + [.miss, .collapsed, .revalidated, .fallback]

    /// The share of pictures that needed no origin, 0–1; `nil` before the first.
    static func hitRatio(_ count: (RequestResult) -> Int) -> Double? {
        let asked = asked.reduce(0) { $0 + count($1) }
        return asked == 0 ? nil : Double(hits.reduce(0) { $0 + count($1) }) / Double(asked)
    }

    /// The result of an answer that the cache gave.
    init(_ status: CacheStatus) {
        switch status {
        case .hit(.memory): self = .memory
        case .hit(.disk): self = .disk
        case .hit(.original): self = .original
        case .hit(.stale): self = .stale
        case .hit(.negative): self = .negative
        case .forwarded(_, _, collapsed: true): self = .collapsed
        case .forwarded(.stale, _, collapsed: false): self = .revalidated
        case .forwarded: self = .miss
        case .fallback: self = .fallback
        case .unasked: self = .refused
        }
    }
}
