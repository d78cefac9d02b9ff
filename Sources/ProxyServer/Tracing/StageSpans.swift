import HTTPCache
import HTTPSemantics
import ImagePipeline
import OriginTransfer

/// The spans of the stages of a request: one for each that ran, with the names of `Server-Timing`.
///
/// Durations are measured. The stages follow each other, so their places in time are put together backwards from the end of the
/// last one.
struct StageSpans {
    /// The context of the request, with the id of its own span.
    let trace: TraceContext
    /// The beginning of the request, in monotonic nanoseconds; no stage begins before it.
    let start: Int64
    let facts: RequestTrace.Facts
    /// The stages that ran for the response; `nil` if none did.
    let note: AnswerNote?
    /// The id of the span of the download.
    let download: UInt64

    /// The spans; none of stages that ran for another request.
    var spans: [TraceSpan] {
        if let note { return note.isShared ? [] : spans(of: note.timings, end: note.end) }
        guard let measured = facts.download else { return [] }
        var span = span("fetch", measured.start, measured.end)
        become(download: &span)
        span.isError = measured.hasFailed
        return [span]
    }

    private func spans(of timings: StageTimings, end: Int64) -> [TraceSpan] {
        var spans: [TraceSpan] = []
        var end = end
        let stages = [
            ("store", timings.store), ("encode", timings.encode), ("transform", timings.transform),
            ("decode", timings.decode), ("queue", timings.queue), ("fetch", timings.fetch),
        ]
        for (name, microseconds) in stages where microseconds > 0 {
            let begin = max(start, end - Int64(microseconds) * 1_000)
            spans.append(span(name, begin, end))
            end = begin
        }
        guard timings.fetch > 0, var fetch = spans.popLast() else { return spans }
        become(download: &fetch)
        if timings.phases.mirror > 0 {
            fetch.attributes.append(.init("edgeprint.mirror", .number(timings.phases.mirror)))
        }
        return spans + [fetch] + phases(timings, of: fetch)
    }

    /// The phases of a download, which begin with it.
    private func phases(_ timings: StageTimings, of fetch: TraceSpan) -> [TraceSpan] {
        let phases = timings.phases
        var begin = fetch.start
        return [
            ("fetch-dns", phases.resolve), ("fetch-connect", phases.connect), ("fetch-tls", phases.secure),
            ("fetch-first-byte", phases.firstByte),
        ].filter { $0.1 > 0 }.map { name, microseconds in
            var span = span(name, begin, min(fetch.end, begin + Int64(microseconds) * 1_000))
            span.parent = fetch.id
            begin = span.end
            return span
        }
    }

    /// Makes a span that of the download: with the id that the origin has received, and where it went.
    private func become(download span: inout TraceSpan) {
        span.id = download
        span.name = "fetch"
        guard let url = facts.origin?.target.url else { return }
        span.kind = .client
        span.attributes = [
            .init("http.request.method", .text("GET")),
            .init("server.address", .text(url.hostText)),
            .init("server.port", .number(url.port)),
            .init("url.scheme", .text(url.scheme.rawValue)),
        ]
    }

    private func span(_ name: String, _ start: Int64, _ end: Int64) -> TraceSpan {
        TraceSpan(
            trace: trace,
            id: .random(in: 1 ... .max),
            parent: trace.span,
            state: facts.state,
            name: name,
            kind: .inside,
            start: start,
            end: max(start, end)
        )
    }
}
