import HTTPSemantics
import ImagePipeline

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
        /// Bytes sent, head and content; the content also if nginx sends it (`AccelRedirect`).
        var bytes: Int64
        /// Microseconds from the end of the request to the last byte of the response.
        var duration: Int64
        var result: RequestResult
        /// Whether the complete response was written.
        var isComplete: Bool
        /// The request id.
        var trace: TraceContext
        /// The source and the format.
        var tag = AnswerTag(0)
        /// The format of the image or description that was sent; `nil` for others, such as 304.
        var format: EntityFormat? { status < 300 ? tag.format : nil }
        /// The bytes by which an image that was sent whole is smaller than its original; `nil` for other responses.
        var saved: Int64?
        /// The stages that ran; `nil` for none.
        var stages: StageTimings?
    }

    /// The maximum bytes of a request target in a line.
    static let targetLimit = 1_024
    /// The maximum characters of a source's name in a line.
    static let nameLimit = 200
    /// The buffered bytes that are written without waiting for the end of the turn.
    static let flushThreshold = 64 << 10

    private let format: LogFormat
    private let sink: LineSink
    private let sources: SourceNumbers
    /// The escaped names of the sources by number, copied when a new number appears.
    private var names: [[UInt8]] = []
    private var timestamp = TimestampText()
    private var buffer: [UInt8] = []

    /// Creates the log of one loop.
    ///
    /// - Parameter sources: the names of the sources.
    init(format: LogFormat, sink: LineSink, sources: SourceNumbers = SourceNumbers()) {
        self.sources = sources
        self.format = format
        self.sink = sink
        buffer.reserveCapacity(AccessLog.flushThreshold)
    }

    /// Appends a line to the buffer.
    ///
    /// - Parameter target: the request target as sent; signatures in it are redacted.
    mutating func append(_ record: Record, target: Span<UInt8>) {
        timestamp.update(to: record.time)
        if record.tag.source > names.count { copyNames() }
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

    private mutating func copyNames() {
        names = sources.names.map { name in
            var bytes: [UInt8] = []
            LogText.appendUnquoted(name, limit: AccessLog.nameLimit, to: &bytes)
            return bytes
        }
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
        append("\",\"ms\":")
        LogText.appendThousandths(record.duration, to: &buffer)
        if let name = name(of: record) {
            append(",\"source\":\"")
            buffer.append(contentsOf: name)
            append("\"")
        }
        if let format = record.format {
            append(",\"format\":\"")
            append(format.label)
            append("\"")
        }
        if let saved = record.saved { append(",\"saved\":", saved) }
        if record.client.hasNetwork {
            append(",\"account\":\"")
            record.client.appendNetwork(to: &buffer)
            append("\"")
        }
        if let stages = record.stages { appendStages(stages, before: ",\"stages\":{", "\"", "\":", ",", after: "}") }
        append("}")
    }

    /// The name of the request's source.
    private func name(of record: Record) -> [UInt8]? {
        let number = record.tag.source
        return number > 0 && number <= names.count ? names[number - 1] : nil
    }

    /// Appends the stages that ran, in milliseconds; nothing if none did.
    private mutating func appendStages(
        _ stages: StageTimings,
        before: StaticString,
        _ open: StaticString,
        _ close: StaticString,
        _ separator: StaticString,
        after: StaticString
    ) {
        var isFirst = true
        for stage in LoggedStage.allCases {
            let duration = stages[stage]
            guard duration > 0 else { continue }
            append(isFirst ? before : separator)
            append(open)
            append(stage.label)
            append(close)
            LogText.appendThousandths(Int64(duration), to: &buffer)
            isFirst = false
        }
        if !isFirst { append(after) }
    }

    /// `2026-11-21T00:00:00Z 127.0.0.1 GET "/demo/a.jpg?w=200" 200 4711 812us memory id=… source=demo format=webp saved=91044`.
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
        if let name = name(of: record) {
            append(" source=")
            buffer.append(contentsOf: name)
        }
        if let format = record.format {
            append(" format=")
            append(format.label)
        }
        if let saved = record.saved { append(" saved=", saved) }
        if record.client.hasNetwork {
            append(" account=")
            record.client.appendNetwork(to: &buffer)
        }
        if let stages = record.stages { appendStages(stages, before: " ", "", "=", " ", after: "") }
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
