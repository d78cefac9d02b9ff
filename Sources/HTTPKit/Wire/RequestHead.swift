/// A parsed request head, as offsets into separate bytes.
///
/// A loop parses all requests into one head, so that the storage of the field table is allocated once. Not copyable: copy bytes
/// that are needed longer.
package struct RequestHead: ~Copyable, Sendable {
    /// A field line: the name as sent, and the value without surrounding white space.
    package struct Field: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32
        /// The known field, if the name is one.
        package var known: KnownField?

        /// The range of the name.
        package var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        /// The range of the value; possibly empty.
        package var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// The form of a request target (RFC 9112 §3.2).
    package enum TargetForm: Sendable {
        case origin, absolute, authority, asterisk
    }

    /// How the content is delimited (RFC 9112 §6.3).
    package enum Framing: Hashable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    package internal(set) var method: HTTPMethod = .get
    /// The raw request target.
    package internal(set) var target: Range<Int> = 0..<0
    /// The path and query: the target itself in origin-form, the part after the authority in absolute-form (empty means `/`),
    /// `*` in asterisk-form, empty in authority-form.
    package internal(set) var pathAndQuery: Range<Int> = 0..<0
    /// The host and port: from the target in absolute- and authority-form (RFC 9112 §3.2.2), otherwise from `Host`; may be `nil` in
    /// HTTP/1.0.
    package internal(set) var authority: Range<Int>?
    /// The form of the target.
    package internal(set) var targetForm: TargetForm = .origin
    /// The minor version, 0 or 1; higher ones count as 1.
    package internal(set) var minorVersion: UInt8 = 1
    /// Whether the client wants to keep the connection open (RFC 9112 §9.3).
    package internal(set) var keepAlive = true
    /// How the content is delimited.
    package internal(set) var framing: Framing = .none
    /// Whether the client waits for `100 Continue` (RFC 9110 §10.1.1).
    package internal(set) var expectsContinue = false
    /// Whether there is an expectation other than 100-continue.
    package internal(set) var hasUnknownExpectation = false
    /// All field lines in order.
    package internal(set) var fields: [Field] = []
    /// Whether a `Connection` line contains `close`.
    var closes = false
    private var present: UInt64 = 0

    /// Creates an empty head.
    package init() { fields.reserveCapacity(32) }

    mutating func reset() {
        method = .get
        target = 0..<0
        pathAndQuery = 0..<0
        authority = nil
        targetForm = .origin
        minorVersion = 1
        keepAlive = true
        framing = .none
        expectsContinue = false
        hasUnknownExpectation = false
        fields.removeAll(keepingCapacity: true)
        closes = false
        present = 0
    }

    mutating func append(_ field: Field) {
        fields.append(field)
        if let known = field.known { present |= 1 << UInt64(known.rawValue) }
    }

    /// Whether the field is present; costs one bit test.
    @inline(__always)
    package func has(_ field: KnownField) -> Bool { present >> UInt64(field.rawValue) & 1 == 1 }

    /// The value of the first line of a known field.
    package func value(of field: KnownField) -> Range<Int>? {
        guard has(field) else { return nil }
        for line in fields where line.known == field { return line.value }
        return nil
    }

    /// The number of lines of a known field.
    package func count(of field: KnownField) -> Int {
        guard has(field) else { return 0 }
        return fields.reduce(0) { $0 + ($1.known == field ? 1 : 0) }
    }

    /// Calls `body` with the value of each line of a known field, in order.
    package func forEach(_ field: KnownField, _ body: (Range<Int>) -> Void) {
        guard has(field) else { return }
        for line in fields where line.known == field { body(line.value) }
    }

    /// The value of the first line with a name, ignoring case.
    package func value(named name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        for line in fields where bytes.equalsIgnoringCase(line.name, name) { return line.value }
        return nil
    }
}
