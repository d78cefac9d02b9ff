import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline

/// The span of a request to the public listener, with the names of OpenTelemetry's conventions for HTTP servers.
struct ServerSpan {
    /// The bytes of a target that are looked at; `ShownTarget` shows fewer.
    private static let longestTarget = 1_024
    /// The source of `/fetch?url=…`.
    private static let remote = "fetch"

    let exchange: ExchangeSummary
    let facts: RequestTrace.Facts
    let result: RequestResult
    /// The name of the source, with its site; `nil` if none is known.
    let source: String?
    /// Monotonic nanoseconds.
    let start: Int64

    /// The span.
    ///
    /// - Parameter target: the request target as sent, of which only what `ShownTarget` shows is recorded.
    func span(_ target: Span<UInt8>) -> TraceSpan {
        let status = Int(exchange.status)
        let (name, method) = Self.method(exchange.method)
        let route = source.map { source in
            let name = CacheNamespace.name(of: source)
            return name == Self.remote ? "/\(name)" : "/\(name)/*"
        }
        var attributes: [TraceSpan.Attribute] = [.init("http.request.method", .text(method))]
        if let route { attributes.append(.init("http.route", .text(route))) }
        attributes += Self.target(target)
        attributes += [
            .init("url.scheme", .text("http")),
            .init("http.response.status_code", .number(status)),
            .init("http.response.size", .number(Int(clamping: exchange.bytesSent))),
            .init("network.protocol.version", .text("1.\(exchange.minorVersion)")),
            .init("client.address", .text(client)),
            .init("edgeprint.cache", .text(result.value)),
        ]
        attributes += Self.server(facts.host)
        if let source { attributes.append(.init("edgeprint.source", .text(source))) }
        if !exchange.isComplete { attributes.append(.init("edgeprint.aborted", .flag(true))) }
        if status >= 500 { attributes.append(.init("error.type", .text(String(status)))) }
        return TraceSpan(
            trace: exchange.trace,
            id: exchange.trace.span,
            parent: exchange.trace.parent,
            isParentRemote: exchange.trace.isFromCaller,
            state: facts.state,
            name: route.map { "\(name) \($0)" } ?? name,
            kind: .server,
            start: start,
            end: start + exchange.duration,
            attributes: attributes,
            isError: status >= 500
        )
    }

    private var client: String {
        var line: [UInt8] = []
        ClientAddress(exchange.peer).append(to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// The method as part of the span's name, and as an attribute; unknown ones have one value.
    private static func method(_ method: HTTPMethod) -> (name: String, attribute: String) {
        method.name.map { ($0, $0) } ?? ("HTTP", "_OTHER")
    }

    /// Path and query, without what authorises its reader: a collector is often another company's.
    private static func target(_ target: Span<UInt8>) -> [TraceSpan.Attribute] {
        let bytes = target.copy(0..<min(target.count, longestTarget))
        let path = ShownTarget.text(Array(bytes.prefix { $0 != UInt8(ascii: "?") }))
        let query = ShownTarget.text(bytes).dropFirst(path.count + 1)
        return [.init("url.path", .text(path))]
            + (query.isEmpty ? [] : [.init("url.query", .text(String(query)))])
    }

    /// The host and port that the client has named.
    private static func server(_ host: String) -> [TraceSpan.Attribute] {
        guard !host.isEmpty else { return [] }
        guard let colon = host.lastIndex(of: ":"), let port = Int(host[host.index(after: colon)...]) else {
            return [.init("server.address", .text(host))]
        }
        return [.init("server.address", .text(String(host[..<colon]))), .init("server.port", .number(port))]
    }
}
