import ImagePlan
import OriginTransfer

extension Configuration {
    /// The export of spans (OpenTelemetry, OTLP over HTTP).
    struct Tracing: Sendable, Equatable {
        /// Whose `sampled` flag is followed.
        enum Parents: String, Sendable, CaseIterable {
            /// That of the proxies in `proxies.trust`.
            case trusted
            /// That of every client.
            case any
        }

        /// The collector's URL; empty for no tracing.
        var endpoint = ""
        /// Header fields of requests to the collector.
        var headers: [HeaderField] = []
        /// The share of traces that begin here and are recorded, 0 to 1.
        var sample = FixedDecimal(millionths: 10_000)
        var parents = Parents.trusted
        /// The value of `service.name`.
        var service = "edgeprint"
        /// The maximum number of spans that wait to be sent; more are counted and dropped.
        var queue = 8_192
        /// The maximum number of spans in one request.
        var batch = 512
        /// The longest time that a span waits for others of its request, in milliseconds.
        var interval = 5_000
        /// The longest time of one request to the collector, in milliseconds.
        var timeout = 10_000

        /// Whether spans are recorded.
        var isOn: Bool { !endpoint.isEmpty }

        /// The URL that spans are posted to: of an endpoint without a path, the one that OTLP prescribes.
        var url: String {
            let text = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
            let authority = text.drop { $0 != ":" }.dropFirst("://".count)
            return authority.contains("/") ? endpoint : text + "/v1/traces"
        }
    }
}
