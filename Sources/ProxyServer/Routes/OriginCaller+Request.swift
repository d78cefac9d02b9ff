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
    ///
    /// - Parameter tracing: what is recorded about the request; its download is then the parent of the origin's spans.
    init(
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        of tracing: RequestTrace? = nil
    ) {
        self.init()
        if let tracing {
            traceparent = context.trace.traceparent(parent: tracing.download)
            let state = tracing.facts.state
            tracestate = state.isEmpty ? nil : state
        } else if context.trace.isFromCaller {
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

extension FieldLines {
    /// Replaces the caller's trace context by that of the download of a traced request.
    mutating func continueTrace(_ trace: TraceContext, in tracing: RequestTrace) {
        let state = tracing.facts.state
        remove(state.isEmpty ? ["traceparent", "tracestate"] : ["traceparent"])
        let value = trace.traceparent(parent: tracing.download)
        if let line = FieldLine(name: "traceparent", value: Array(value.utf8)) { append(line) }
    }
}

extension Result {
    /// Whether this is a failure.
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
