import HTTPKit
import HTTPSemantics
import ImagePipeline

extension RequestResult {
    /// A flag for responses that the server sent before any handler saw the request.
    static let unhandled: UInt64 = 0x100

    /// The result as encoded in `Response.tag`; 0 means that there was no response.
    var tag: UInt64 { UInt64(rawValue) + 1 }

    /// Decodes the result from a tag.
    init(tag: UInt64) {
        let low = UInt8(truncatingIfNeeded: tag)
        self = low == 0 ? .other : RequestResult(rawValue: low - 1) ?? .other
    }

    /// The result for the status of an error.
    init(status: UInt16) { self = status < 500 ? .refused : .error }
}

extension CacheStatus {
    /// The `Cache-Status` for the provenance of a response.
    init(_ provenance: Provenance) {
        switch provenance {
        case .memory: self = .hit(.memory)
        case .disk: self = .hit(.disk)
        case .original: self = .hit(.original)
        case .stale: self = .hit(.stale)
        case .fetched(let collapsed): self = .forwarded(.uriMiss, status: nil, collapsed: collapsed)
        case .validated(let status, let collapsed):
            self = .forwarded(.request, status: status, collapsed: collapsed)
        case .revalidated(let status, let collapsed): self = .forwarded(.stale, status: status, collapsed: collapsed)
        }
    }
}
