import HTTPSemantics

/// The lines of one event loop's requests, gathered in bytes and written once a turn of the loop.
///
/// Confined to its loop's thread; all loops share the sink. Nothing here builds a String.
struct AccessLog {
    /// What a line tells.
    struct Record {
        /// Seconds since 1970.
        var time: Int64
        var client: ClientAddress
        /// As in the request line; empty where the request had none that is known.
        var method: StaticString
        var status: Int
        /// Bytes sent, head and content.
        var bytes: Int64
        /// Microseconds from the request's end to the answer's last byte.
        var duration: Int64
        var result: RequestResult
        /// Whether the whole answer was written.
        var isComplete: Bool
        /// The request's id.
        var trace: TraceContext
    }

    /// The most bytes of a request target that a line repeats.
    static let targetLimit = 1_024
    /// Gathered bytes at which a turn of the loop is not waited for.
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

    /// Gathers a line.
    ///
    /// - Parameter target: the request target as sent; signatures in it are not repeated.
    mutating func append(_ record: Record, target: Span<UInt8>) {
        timestamp.update(to: record.time)
        switch format {
        case .json: appendJSON(record, target)
        case .text: appendText(record, target)
        }
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= AccessLog.flushThreshold { flush() }
    }

    /// Writes what was gathered; at the end of a turn of the loop.
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
