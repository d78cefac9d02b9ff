import HTTPSemantics
import ImagePlan
import OriginTransfer

extension ConfigurationSchema {
    /// The export of spans.
    static let tracing: [Setting<Configuration>] = [
        Setting(
            "tracing.endpoint",
            \.tracing.endpoint,
            .collector,
            "URL of an OpenTelemetry collector (OTLP over HTTP); empty for no tracing."
        ),
        Setting(
            "tracing.headers",
            \.tracing.headers,
            .headers,
            takesEnvironment: false,
            "Header fields of requests to the collector, such as Authorization."
        ),
        Setting(
            "tracing.sample",
            \.tracing.sample,
            .share,
            "Share of the traces that begin here and are recorded, 0 to 1."
        ),
        Setting(
            "tracing.parents",
            \.tracing.parents,
            .choice,
            "Callers whose traceparent decides instead: trusted (those of proxies.trust), or any."
        ),
        Setting(
            "tracing.service",
            \.tracing.service,
            .text("a name"),
            "Name of this service in traces (service.name)."
        ),
        Setting(
            "tracing.queue",
            \.tracing.queue,
            .count(1...1_000_000),
            "Maximum spans that wait to be sent; more are counted and dropped."
        ),
        Setting("tracing.batch", \.tracing.batch, .count(1...10_000), "Maximum spans in one request to the collector."),
        Setting(
            "tracing.interval",
            \.tracing.interval,
            .duration(10...600_000),
            "Longest time that a span waits for others before it is sent."
        ),
        Setting(
            "tracing.timeout",
            \.tracing.timeout,
            .duration(1...600_000),
            "Timeout of one request to the collector."
        ),
    ]
}

extension ValueFormat where Value == String {
    /// The URL of a collector, or nothing.
    fileprivate static var collector: ValueFormat {
        .scalar("a URL such as http://127.0.0.1:4318, without a user or a query") { text in
            if text.isEmpty { return text }
            guard let url = try? OriginURL(text), url.query == nil, !text.contains("#") else { return nil }
            return url.requestTarget == "/" ? url.origin : url.text
        } write: {
            .quoted($0)
        }
    }
}

extension ValueFormat where Value == FixedDecimal {
    /// A share of a whole.
    fileprivate static var share: ValueFormat {
        .scalar("a number from 0 to 1") { text in
            FixedDecimal(parsing: text).flatMap { (FixedDecimal(0)...FixedDecimal(1)).contains($0) ? $0 : nil }
        } write: {
            .plain($0.text)
        }
    }
}
