import HTTPKit
import HTTPSemantics
import ImagePipeline

extension OriginCaller {
    /// The longest `Via` that is sent on, in bytes.
    private static let maximumVia = 256

    /// Takes of a request what an origin may see beside the fields that its source forwards.
    ///
    /// Of anybody's request a well-formed `traceparent` and the names in `CDN-Loop`; of a trusted proxy's `Via`, too.
    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) {
        self.init()
        if context.trace.isFromCaller {
            traceparent = context.trace.traceparent(parent: .random(in: 1 ... .max))
        }
        if head.has(.cdnLoop) {
            let loop = CDNLoop(head, bytes)
            if !loop.text.isEmpty { cdnLoop = loop.text }
        }
        if context.isFromTrustedProxy, head.has(.via) {
            let via = head.joined(.via, in: bytes)
            // A proxy may pass its clients' names on: the bound keeps those from making the origin refuse the request.
            if !via.isEmpty, via.count <= Self.maximumVia { self.via = String(decoding: via, as: UTF8.self) }
        }
    }
}
