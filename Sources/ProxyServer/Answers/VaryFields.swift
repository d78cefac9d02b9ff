import HTTPKit
import HTTPSemantics

/// The request fields that an answer depends on, beyond its target: what `Vary` names (RFC 9110 §12.5.5).
struct VaryFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// `format=auto`.
    static let accept = VaryFields(rawValue: 1)
    /// A quality that nobody named, where the source honours the field.
    static let saveData = VaryFields(rawValue: 2)
    /// `w=auto`, by how wide the picture is shown.
    static let width = VaryFields(rawValue: 4)
    /// `w=auto`, by how wide the window is.
    static let viewportWidth = VaryFields(rawValue: 8)
    /// `dpr=auto`, and `w=auto` by the window.
    static let dpr = VaryFields(rawValue: 16)

    /// In the order in which they are told.
    private static let names: [(field: VaryFields, texts: [String])] = [
        (.accept, ["Accept"]), (.saveData, ["Save-Data"]), (.width, ["Sec-CH-Width", "Width"]),
        (.viewportWidth, ["Sec-CH-Viewport-Width", "Viewport-Width"]), (.dpr, ["Sec-CH-DPR", "DPR"]),
    ]
    private static let hints: VaryFields = [.width, .viewportWidth, .dpr]

    /// The value of `Vary`; empty where the answer depends on none.
    var text: String { Self.names.filter { contains($0.field) }.flatMap(\.texts).joined(separator: ", ") }

    /// The value of `Accept-CH`, by which a client is asked for hints (RFC 8942 §3.1); empty where none is used.
    private var accepted: String {
        let used = intersection(Self.hints)
        return Self.names.filter { used.contains($0.field) }.compactMap(\.texts.first).joined(separator: ", ")
    }

    /// `Vary`, and `Accept-CH` where hints are used, encoded; empty where the answer depends on nothing.
    var bytes: [UInt8] {
        guard !isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Vary", text)
        if !isDisjoint(with: Self.hints) { block.append("Accept-CH", accepted) }
        return block.bytes
    }
}
