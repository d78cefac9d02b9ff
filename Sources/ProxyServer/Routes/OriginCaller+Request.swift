import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline

extension OriginCaller {
    /// The longest forwarded `Via`, in bytes.
    private static let maximumVia = 256

    /// Copies the request fields that an origin may see in addition to those that its source forwards.
    ///
    /// These are a valid `traceparent` and the names in `CDN-Loop`, and `Via` if it comes from a trusted proxy.
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
            // A proxy may forward its clients' Via; the bound keeps a long one from making the origin refuse the request.
            if !via.isEmpty, via.count <= Self.maximumVia { self.via = String(decoding: via, as: UTF8.self) }
        }
    }
}
