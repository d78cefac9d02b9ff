import HTTPKit
import HTTPSemantics
import ImagePipeline

/// The header fields that rules set in, or remove from, responses, encoded once per target.
struct FieldEdits: Hashable, Sendable {
    /// The names in lower case, each with its encoded line, which is empty if the field is removed.
    private let lines: [String: [UInt8]]

    /// Creates edits; `nil` if there are none.
    init?(_ edits: [FieldEdit]) {
        guard !edits.isEmpty else { return nil }
        lines = Dictionary(
            edits.map { edit in
                var block = FieldBlock()
                if let value = edit.value { block.append(edit.name, value) }
                return (edit.key, block.bytes)
            }
        ) { $1 }
    }

    /// Applies the edits to a response.
    ///
    /// - Parameter kept: the name of a field that is left alone, in lower case. With `cache-control`, no targeted field is set,
    ///   which would override it in the caches that it names (RFC 9213 §2.2).
    func apply(to response: inout Response, except kept: String? = nil) {
        response.fields = without(response.fields, kept)
        response.dynamicFields = without(response.dynamicFields, kept)
        for (name, line) in lines.sorted(by: { $0.key < $1.key }) where name != kept {
            if !(CacheControl.isTargeted(name) && kept == "cache-control") { response.dynamicFields += line }
        }
    }

    /// Encoded fields without those that are edited.
    private func without(_ fields: [UInt8], _ kept: String?) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(fields.count)
        var start = 0
        while start < fields.count {
            let end = fields[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? fields.count
            let line = fields[start..<end]
            let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
            if lines[name] == nil || name == kept { result += line }
            start = end
        }
        return result
    }
}
