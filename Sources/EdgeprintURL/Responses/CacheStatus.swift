/// What a cache says about a response (`Cache-Status`, RFC 9211 §2).
public struct CacheStatus: Hashable, Sendable {
    /// The name of the cache; `edgeprint` unless it is another one on the way.
    public var cache: String
    /// Whether the response came from the cache.
    public var isHit = false
    /// Why the request went to the next server (`fwd`), such as `uri-miss` or `stale`.
    public var forwardReason: String?
    /// The status that the next server answered (`fwd-status`), such as 304.
    public var forwardStatus: Int?
    /// How long the response remains fresh, in seconds; negative once it is stale.
    public var timeToLive: Int?
    /// Whether the cache has stored the response.
    public var isStored = false
    /// Whether the request shared another one's way to the next server.
    public var isCollapsed = false
    /// The cache's key of the response.
    public var key: String?
    /// The tier or the reason, such as `memory`, `disk`, `original`, `stale` or `negative`.
    public var detail: String?

    /// Parses the value of the field: the cache next to the origin first, the one next to the client last; empty for a malformed
    /// value.
    ///
    /// Several fields of the name are one value, joined by commas. Parameters that are unknown or of another type are ignored.
    public static func parse(_ value: String) -> [CacheStatus] {
        FieldMembers(value)?.members.map { CacheStatus($0.name, $0.parameters) } ?? []
    }

    private init(_ cache: String, _ parameters: [FieldMembers.Item]) {
        self.cache = cache
        for item in parameters {
            // RFC 9651 §3.1.2: a parameter without a value is true.
            let isTrue = !item.isQuoted && (item.value.isEmpty || item.value == "?1")
            let token = item.isQuoted || item.value.isEmpty ? nil : item.value
            switch item.name {
            case "hit": isHit = isTrue
            case "fwd": forwardReason = token
            case "fwd-status": forwardStatus = token.flatMap { Int($0) }
            case "ttl": timeToLive = token.flatMap { Int($0) }
            case "stored": isStored = isTrue
            case "collapsed": isCollapsed = isTrue
            case "key": key = item.isQuoted ? item.value : nil
            case "detail": detail = item.isQuoted ? item.value : token
            default: break
            }
        }
    }
}
