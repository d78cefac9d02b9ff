import HTTPSemantics

/// Encodes spans as an `ExportTraceServiceRequest` of OTLP 1.x in JSON.
///
/// In OTLP's JSON, ids are hexadecimal, 64-bit integers are strings, and enumerations are numbers.
struct TraceDocument: Sendable {
    /// The version of the semantic conventions that the names of attributes are from.
    static let schema = "https://opentelemetry.io/schemas/1.37.0"

    /// What the spans are about: the attributes of this process.
    let resource: [TraceSpan.Attribute]
    /// Nanoseconds from the monotonic clock to the wall clock.
    let wallOffset: Int64

    /// The text of a document with some spans.
    func text(_ spans: ArraySlice<TraceSpan>) -> String {
        let scope = JSONValue.object([
            .init("name", .string("edgeprint")), .init("version", .string(Version.text)),
        ])
        let group = JSONValue.object([
            .init("scope", scope),
            .init("spans", .array(spans.map(value))),
            .init("schemaUrl", .string(Self.schema)),
        ])
        let resourceSpans = JSONValue.object([
            .init("resource", .object([.init("attributes", Self.attributes(resource))])),
            .init("scopeSpans", .array([group])),
            .init("schemaUrl", .string(Self.schema)),
        ])
        return JSONValue.object([.init("resourceSpans", .array([resourceSpans]))]).text
    }

    private func value(_ span: TraceSpan) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("traceId", .string(span.trace.id)),
            .init("spanId", .string(TraceContext.text(ofSpan: span.id))),
        ]
        if !span.state.isEmpty { members.append(.init("traceState", .string(span.state))) }
        if span.parent != 0 {
            members.append(.init("parentSpanId", .string(TraceContext.text(ofSpan: span.parent))))
        }
        members += [
            .init("flags", .number(Self.flags(span))),
            .init("name", .string(span.name)),
            .init("kind", .number(span.kind.rawValue)),
            .init("startTimeUnixNano", .string(String(span.start + wallOffset))),
            .init("endTimeUnixNano", .string(String(max(span.start, span.end) + wallOffset))),
            .init("attributes", Self.attributes(span.attributes)),
            // STATUS_CODE_ERROR; a span without an error leaves its status unset.
            .init("status", .object(span.isError ? [.init("code", .number(2))] : [])),
        ]
        return .object(members)
    }

    /// W3C trace flags, and whether the parent is remote (bits 8 and 9 of `SpanFlags`).
    private static func flags(_ span: TraceSpan) -> Int {
        Int(span.trace.flags) | 0x100 | (span.isParentRemote ? 0x200 : 0)
    }

    private static func attributes(_ attributes: [TraceSpan.Attribute]) -> JSONValue {
        .array(
            attributes.map { attribute in
                let value: JSONValue.Member =
                    switch attribute.value {
                    case .text(let text): .init("stringValue", .string(text))
                    case .number(let number): .init("intValue", .string(String(number)))
                    case .flag(let flag): .init("boolValue", .bool(flag))
                    }
                return .object([.init("key", .string(attribute.name)), .init("value", .object([value]))])
            }
        )
    }
}
