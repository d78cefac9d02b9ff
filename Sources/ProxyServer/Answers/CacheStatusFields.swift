import HTTPKit
import HTTPSemantics
import ImagePipeline

/// `Cache-Status` (RFC 9211) for every provenance, encoded once.
enum CacheStatusFields {
    static let memory = encoded(.hit(.memory))

    /// The field of an answer.
    static func field(_ provenance: Provenance) -> [UInt8] {
        switch provenance {
        case .memory: memory
        case .disk: disk
        case .original: original
        case .fetched(collapsed: false): miss
        case .fetched(collapsed: true): collapsedMiss
        case .revalidated(let status, let collapsed):
            encoded(.forwarded(.stale, status: status, collapsed: collapsed))
        }
    }

    private static let disk = encoded(.hit(.disk))
    private static let original = encoded(.hit(.original))
    private static let miss = encoded(.miss)
    private static let collapsedMiss = encoded(.collapsedMiss)

    private static func encoded(_ status: CacheStatus) -> [UInt8] {
        var block = FieldBlock()
        block.append("Cache-Status", status.text)
        return block.bytes
    }
}
