import HTTPSemantics

/// The access log of one event loop: lines are buffered and written once per turn of the loop.
///
/// Confined to its loop's thread; all loops share the sink. No String is created.
struct AccessLog {
    /// The content of a line.
    struct Record {
        /// Seconds since 1970.
        var time: Int64
        var client: ClientAddress
        /// The method; empty if unknown.
        var method: StaticString
        var status: Int
        /// Bytes sent, head and content.
        var bytes: Int64
        /// Microseconds from the end of the request to the last byte of the response.
        var duration: Int64
        var result: RequestResult
        /// Whether the complete response was written.
        var isComplete: Bool
        /// The request id.
        var trace: TraceContext
    }

    /// The maximum bytes of a request target in a line.
    static let targetLimit = 1_024
    /// The buffered bytes that are written without waiting for the end of the turn.
    static let flushThreshold = 64 << 10

    private let format: LogFormat
    private let sink: LineSink
    private var timestamp = TimestampText()
    private var buffer: [UInt8] = []

    /// Creates the log of one loop.
    init(format: LogFormat, sink: LineSink) {
        self.format = format
        self.sink = sink
        buffer.reserveCapacity(AccessLog.flushThreshold)
    }

    /// Appends a line to the buffer.
    ///
    /// - Parameter target: the request target as sent; signatures in it are redacted.
    mutating func append(_ record: Record, target: Span<UInt8>) {
        timestamp.update(to: record.time)
        switch format {
        case .json: appendJSON(record, target)
        case .text: appendText(record, target)
        }
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= AccessLog.flushThreshold { flush() }
    }

    /// Writes the buffer; called at the end of a turn of the loop.
    mutating func flush() {
        guard !buffer.isEmpty else { return }
        sink.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func appendJSON(_ record: Record, _ target: Span<UInt8>) {
        append("{\"time\":\"")
        buffer.append(contentsOf: timestamp.bytes)
        append("\",\"client\":\"")
        record.client.append(to: &buffer)
        append("\",\"method\":\"")
        append(record.method)
        append("\",\"target\":")
        LoggedTarget.append(target, limit: AccessLog.targetLimit, to: &buffer)
        append(",\"status\":", Int64(record.status))
        append(",\"bytes\":", record.bytes)
        append(",\"duration_us\":", record.duration)
        append(",\"cache\":\"")
        append(record.result.label)
        append("\"")
        if !record.isComplete { append(",\"aborted\":true") }
        append(",\"id\":\"")
        record.trace.appendID(to: &buffer)
        append("\"}")
    }

    /// `2026-11-21T00:00:00Z 127.0.0.1 GET "/demo/a.jpg?w=200" 200 4711 812us memory`.
    private mutating func appendText(_ record: Record, _ target: Span<UInt8>) {
        buffer.append(contentsOf: timestamp.bytes)
        append(" ")
        record.client.append(to: &buffer)
        append(" ")
        append(record.method.utf8CodeUnitCount == 0 ? "-" : record.method)
        append(" ")
        LoggedTarget.append(target, limit: AccessLog.targetLimit, to: &buffer)
        append(" ", Int64(record.status))
        append(" ", record.bytes)
        append(" ", record.duration)
        append("us ")
        append(record.result.label)
        if !record.isComplete { append(" aborted") }
        append(" id=")
        record.trace.appendID(to: &buffer)
    }

    @inline(__always)
    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe buffer.append(contentsOf: $0) }
    }

    @inline(__always)
    private mutating func append(_ name: StaticString, _ value: Int64) {
        append(name)
        LogText.append(value, to: &buffer)
    }
}
