/// The counts of the export of spans.
struct TracingReading: Sendable {
    /// Spans recorded.
    let recorded: Int
    /// Spans that wait to be sent.
    let waiting: Int
    /// Spans dropped for lack of room in the queue.
    let dropped: Int
    let export: SpanExporter.Statistics

    init(_ tracer: Tracer) {
        recorded = tracer.recordedCount
        waiting = tracer.exporter.queue.count
        dropped = tracer.exporter.queue.dropped
        export = tracer.exporter.statistics
    }
}

extension StatisticsTable {
    /// Traces, and their way to the collector.
    static let tracing: [Item] = [
        .counter("tracing.recorded", Metric("edgeprint_trace_spans_total", "Spans recorded.")) { $0.tracing.recorded },
        .counter(
            "tracing.exported",
            Metric("edgeprint_trace_spans_exported_total", "Spans that the collector has accepted.")
        ) { $0.tracing.export.exported },
        .counters(
            "tracing.dropped",
            Metric(
                "edgeprint_trace_spans_dropped_total",
                "Spans that were not delivered: queue (full), export (refused, or no collector), or rejected by the collector.",
                label: "reason"
            )
        ) { reading in
            [
                ("queue", reading.tracing.dropped), ("export", reading.tracing.export.failed),
                ("rejected", reading.tracing.export.rejected),
            ]
        },
        .counter(
            "tracing.retries",
            Metric("edgeprint_trace_export_retries_total", "Repeated requests to the collector.")
        ) { $0.tracing.export.retries },
        .gauge("tracing.waiting", Metric("edgeprint_trace_queue_spans", "Spans that wait to be sent.")) {
            $0.tracing.waiting
        },
    ]
}
