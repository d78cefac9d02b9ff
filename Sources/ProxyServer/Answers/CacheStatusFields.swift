import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Encoded `Cache-Status` fields (RFC 9211); frequent ones are encoded once.
enum CacheStatusFields {
    static let memory = encoded(.hit(.memory))
    static let stale = encoded(.hit(.stale))
    private static let negative = encoded(.hit(.negative))

    /// The field for a status.
    static func field(_ status: CacheStatus) -> [UInt8] {
        switch status {
        case .hit(.memory): memory
        case .hit(.disk): disk
        case .hit(.original): original
        case .hit(.stale): stale
        case .hit(.negative): negative
        case .miss: miss
        case .collapsedMiss: collapsedMiss
        default: encoded(status)
        }
    }

    /// The field for a response that waited until it was stored, or could not be (RFC 9211 §2.5).
    static func field(_ status: CacheStatus, isStored: Bool) -> [UInt8] {
        var block = FieldBlock()
        block.append("Cache-Status", status.text + (isStored ? "; stored" : "; stored=?0"))
        return block.bytes
    }

    static let disk = encoded(.hit(.disk))
    private static let original = encoded(.hit(.original))
    private static let miss = encoded(.miss)
    private static let collapsedMiss = encoded(.collapsedMiss)

    /// The field of a placeholder for an image that is being made.
    static let placeholder: [UInt8] = {
        var block = FieldBlock()
        block.append("Cache-Status", "edgeprint; fwd=uri-miss; detail=placeholder")
        return block.bytes
    }()

    /// The field of a WebP that is served until its AVIF is made.
    static func deferred(_ status: CacheStatus) -> [UInt8] {
        var block = FieldBlock()
        let isHit = if case .hit = status { true } else { false }
        block.append("Cache-Status", (isHit ? "edgeprint; hit" : status.text) + "; detail=deferred")
        return block.bytes
    }

    /// The field of what is served under overload in place of the requested image.
    ///
    /// - Parameter status: how the cache handled the request.
    static func brownout(_ status: CacheStatus?, _ rung: BrownoutRung) -> [UInt8] {
        var block = FieldBlock()
        let handling =
            if case .forwarded = status, let status {
                status.text
            } else {
                rung == .placeholder ? "edgeprint" : "edgeprint; hit"
            }
        block.append("Cache-Status", "\(handling); detail=brownout-\(rung.rawValue)")
        return block.bytes
    }

    private static func encoded(_ status: CacheStatus) -> [UInt8] {
        var block = FieldBlock()
        block.append("Cache-Status", status.text)
        return block.bytes
    }
}
