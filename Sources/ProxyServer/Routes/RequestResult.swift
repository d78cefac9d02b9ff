import ImagePipeline

/// How a request was answered, for metrics and the access log; travels through the server as a response's tag.
enum RequestResult: UInt64, CaseIterable, Sendable {
    case other = 0
    case memory
    case disk
    case original
    case miss
    case stale
    case error

    init(_ provenance: Provenance) {
        switch provenance {
        case .memory: self = .memory
        case .disk: self = .disk
        case .original: self = .original
        case .fetched: self = .miss
        case .revalidated: self = .stale
        }
    }

    /// The label's value.
    var name: String {
        switch self {
        case .other: "other"
        case .memory: "memory"
        case .disk: "disk"
        case .original: "original"
        case .miss: "miss"
        case .stale: "stale"
        case .error: "error"
        }
    }
}
