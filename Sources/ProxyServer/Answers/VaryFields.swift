import HTTPKit
import HTTPSemantics

/// The request fields that a response depends on: the content of `Vary` (RFC 9110 §12.5.5).
struct VaryFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// `format=auto`.
    static let accept = VaryFields(rawValue: 1)
    /// A default quality, if the source honours `Save-Data`.
    static let saveData = VaryFields(rawValue: 2)
    /// `w=auto` by the displayed width.
    static let width = VaryFields(rawValue: 4)
    /// `w=auto` by the viewport width.
    static let viewportWidth = VaryFields(rawValue: 8)
    /// `dpr=auto`, and `w=auto` by the viewport width.
    static let dpr = VaryFields(rawValue: 16)
    /// `forward-cookies` of the source.
    static let cookie = VaryFields(rawValue: 32)

    /// Errors, which people get as pages.
    static let fetchDestination = VaryFields(rawValue: 64)

    /// The field names, in the order of `Vary`.
    private static let names: [(field: VaryFields, texts: [String])] = [
        (.accept, ["Accept"]), (.saveData, ["Save-Data"]), (.width, ["Sec-CH-Width", "Width"]),
        (.viewportWidth, ["Sec-CH-Viewport-Width", "Viewport-Width"]), (.dpr, ["Sec-CH-DPR", "DPR"]),
        (.cookie, ["Cookie"]), (.fetchDestination, ["Sec-Fetch-Dest"]),
    ]
    private static let hints: VaryFields = [.width, .viewportWidth, .dpr]

    /// The value of `Vary`; empty if there is none.
    var text: String { Self.names.filter { contains($0.field) }.flatMap(\.texts).joined(separator: ", ") }

    /// The value of `Accept-CH`, which requests client hints (RFC 8942 §3.1); empty if none is used.
    private var accepted: String {
        let used = intersection(Self.hints)
        return Self.names.filter { used.contains($0.field) }.compactMap(\.texts.first).joined(separator: ", ")
    }

    /// The encoded `Vary`, and `Accept-CH` if hints are used; empty if the response depends on no field.
    var bytes: [UInt8] {
        guard !isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Vary", text)
        if !isDisjoint(with: Self.hints) { block.append("Accept-CH", accepted) }
        return block.bytes
    }
}
