@testable import ProxyServer

/// The part of OTLP 1.x that traces use, as its published .proto files define it, with the rules of its JSON: ids are hexadecimal,
/// 64-bit integers are decimal strings, enumerations are numbers, and unknown members are errors here.
enum OTLPSchema {
    indirect enum Kind: Sendable {
        case text, flag, unsigned32
        /// `int64`, `uint64` and `fixed64`.
        case integer
        case decimal
        /// Bytes of a fixed length in hexadecimal.
        case id(bytes: Int)
        case enumeration(ClosedRange<Int>)
        case message(String)
        case list(Kind)
    }

    private static let messages: [String: [String: Kind]] = [
        "ExportTraceServiceRequest": ["resourceSpans": .list(.message("ResourceSpans"))],
        "ResourceSpans": [
            "resource": .message("Resource"), "scopeSpans": .list(.message("ScopeSpans")), "schemaUrl": .text,
        ],
        "Resource": ["attributes": .list(.message("KeyValue")), "droppedAttributesCount": .unsigned32],
        "ScopeSpans": [
            "scope": .message("InstrumentationScope"), "spans": .list(.message("Span")), "schemaUrl": .text,
        ],
        "InstrumentationScope": [
            "name": .text, "version": .text, "attributes": .list(.message("KeyValue")),
            "droppedAttributesCount": .unsigned32,
        ],
        "Span": [
            "traceId": .id(bytes: 16), "spanId": .id(bytes: 8), "traceState": .text, "parentSpanId": .id(bytes: 8),
            "flags": .unsigned32, "name": .text, "kind": .enumeration(0...5), "startTimeUnixNano": .integer,
            "endTimeUnixNano": .integer, "attributes": .list(.message("KeyValue")),
            "droppedAttributesCount": .unsigned32, "events": .list(.message("Event")),
            "droppedEventsCount": .unsigned32, "links": .list(.message("Link")), "droppedLinksCount": .unsigned32,
            "status": .message("Status"),
        ],
        "Status": ["message": .text, "code": .enumeration(0...2)],
        "Event": [:], "Link": [:],
        "KeyValue": ["key": .text, "value": .message("AnyValue")],
        "AnyValue": ["stringValue": .text, "boolValue": .flag, "intValue": .integer, "doubleValue": .decimal],
    ]

    /// What is wrong with a document, with the paths of the members.
    static func problems(_ document: JSONValue) -> [String] {
        problems(document, .message("ExportTraceServiceRequest"), "request")
    }

    private static func problems(_ value: JSONValue, _ kind: Kind, _ path: String) -> [String] {
        switch (kind, value) {
        case (.text, .string), (.flag, .bool), (.decimal, .decimal), (.decimal, .number): []
        case (.unsigned32, .number(let number)): (0...Int(UInt32.max)).contains(number) ? [] : ["\(path): \(number)"]
        case (.integer, .string(let text)): Int64(text) == nil ? ["\(path): '\(text)'"] : []
        case (.enumeration(let range), .number(let number)): range.contains(number) ? [] : ["\(path): \(number)"]
        case (.id(let bytes), .string(let text)):
            text.utf8.count == 2 * bytes && text.allSatisfy(\.isHexDigit) && text.contains { $0 != "0" }
                ? [] : ["\(path): '\(text)'"]
        case (.list(let element), .array(let values)):
            values.enumerated().flatMap { problems($1, element, "\(path)[\($0)]") }
        case (.message(let name), .object(let members)):
            members.flatMap { member in
                guard let kind = messages[name]?[member.name] else { return ["\(path).\(member.name) is unknown"] }
                return problems(member.value, kind, "\(path).\(member.name)")
            }
        default: ["\(path) is not of kind \(kind)"]
        }
    }
}
