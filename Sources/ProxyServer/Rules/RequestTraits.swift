import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// Which conditions on request fields a request fulfils, one bit for each condition of a `RequestMatchers`.
struct RequestTraits: OptionSet, Hashable, Sendable {
    let rawValue: UInt64
}

/// The conditions of all rules on request fields; a request is compared with them once.
final class RequestMatchers: Sendable {
    /// At most 64.
    private let fields: [RuleEffects.Field]
    private let index: [RuleEffects.Field: Int]

    /// Creates the conditions; `nil` if there are none.
    init?(_ rules: [ConfiguredRule]) {
        var fields: [RuleEffects.Field] = []
        for field in rules.flatMap(\.match.requestFields)
        where !fields.contains(field) && fields.count < RuleChecks.maximumFields {
            fields.append(field)
        }
        guard !fields.isEmpty else { return nil }
        self.fields = fields
        index = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1, $0) })
    }

    /// The bits of some conditions.
    func traits(of conditions: [RuleEffects.Field]) -> RequestTraits {
        RequestTraits(rawValue: conditions.reduce(0) { $0 | 1 << UInt64(index[$1] ?? 63) })
    }

    /// The traits of a request, on its loop's thread; `Host` is the target's authority in absolute-form.
    func traits(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> RequestTraits {
        var lines = FieldLines()
        for field in head.fields where isWanted(field.name, bytes) {
            let name = String(decoding: bytes.copy(field.name), as: UTF8.self)
            if let line = FieldLine(name: name, value: bytes.copy(field.value)) { lines.append(line) }
        }
        lines.remove(["host"])
        if let authority = head.authority {
            lines.append("host", String(decoding: bytes.copy(authority), as: UTF8.self))
        }
        return traits(of: lines)
    }

    /// The traits of a request with these fields.
    func traits(of lines: FieldLines) -> RequestTraits {
        var bits: UInt64 = 0
        for (bit, field) in fields.enumerated() {
            guard var value = lines[field.name] else { continue }
            if field.name == "host" { value = SiteHost.name(of: value) }
            if field.value.matches(value) { bits |= 1 << UInt64(bit) }
        }
        return RequestTraits(rawValue: bits)
    }

    /// Whether a condition concerns a field.
    func isWanted(_ name: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        fields.contains { field in
            guard field.name.utf8.count == name.count else { return false }
            return zip(field.name.utf8, name).allSatisfy { byte, index in
                let own = bytes[index]
                return byte == (own >= 0x41 && own <= 0x5A ? own | 0x20 : own)
            }
        }
    }

}
