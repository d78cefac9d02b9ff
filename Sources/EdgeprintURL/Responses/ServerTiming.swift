/// How long a stage of a response took (`Server-Timing`, W3C Server Timing §3).
public struct ServerTiming: Hashable, Sendable {
    /// The name of the stage, such as `fetch`, `queue`, `decode` or `encode`.
    public var name: String
    /// Milliseconds; `nil` if the server states none.
    public var milliseconds: Double?
    /// A text for people.
    public var summary: String?

    /// Parses the value of the field; empty for a malformed value.
    ///
    /// Several fields of the name are one value, joined by commas.
    public static func parse(_ value: String) -> [ServerTiming] {
        FieldMembers(value)?.members.map { ServerTiming($0.name, $0.parameters) } ?? []
    }

    private init(_ name: String, _ parameters: [FieldMembers.Item]) {
        self.name = name
        // The first parameter of a name counts, and names have no case.
        milliseconds = parameters.first { $0.name.lowercased() == "dur" }
            .flatMap { Double($0.value) }
        summary = parameters.first { $0.name.lowercased() == "desc" }?.value
    }
}
