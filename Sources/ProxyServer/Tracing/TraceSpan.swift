import HTTPSemantics

/// One timed operation of a trace, as OpenTelemetry defines it.
struct TraceSpan: Sendable, Hashable {
    /// The numbers of OTLP's `SpanKind`.
    enum Kind: Int, Sendable {
        /// Work within the daemon.
        case inside = 1
        /// A request that the daemon answers.
        case server = 2
        /// A request that the daemon makes.
        case client = 3
    }

    /// The value of an attribute.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
        case flag(Bool)
    }

    struct Attribute: Sendable, Hashable {
        var name: String
        var value: Value

        /// Creates an attribute.
        init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    /// The context of the trace, which contains the trace's id and flags.
    var trace: TraceContext
    var id: UInt64
    /// The id of the span that it is a part of; 0 for the first of a trace.
    var parent: UInt64
    /// Whether the parent is a span of another process.
    var isParentRemote = false
    /// The value of `tracestate`; empty for none.
    var state = ""
    /// A name of few values.
    var name: String
    var kind: Kind
    /// Monotonic nanoseconds.
    var start: Int64
    /// Monotonic nanoseconds.
    var end: Int64
    var attributes: [Attribute] = []
    /// Whether the operation failed.
    var isError = false
}
