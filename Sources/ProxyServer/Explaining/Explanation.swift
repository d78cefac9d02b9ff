/// The result of resolving a request without fetching anything: facts, each with its origin.
///
/// The command and the admin listener render it as text or JSON. It contains no secrets: no keys, no values of header fields,
/// and no correct signature.
struct Explanation: Sendable, Hashable {
    /// The path and query as given.
    var target: String
    /// The error that the daemon would respond with, as far as it is known without contacting the origin.
    var problem: Problem?
    /// The sections; empty if the request is invalid.
    var sections: [Section] = []

    /// A group of facts.
    struct Section: Sendable, Hashable {
        /// A stable name.
        var name: String
        var facts: [Fact]
        /// Whether the facts are numbered instead of named.
        var isList = false
    }

    /// A value with its origin.
    struct Fact: Sendable, Hashable {
        /// A stable name.
        var name: String
        var value: JSONValue
        /// The value in text output, if it differs from the JSON value.
        var words: String?
        /// The origin; `nil` for derived facts.
        var origin: FactOrigin?
        /// The parts of the fact.
        var details: [Fact] = []
        /// Whether it is a setting at its default.
        var isDefault = false

        /// Creates a fact.
        init(
            _ name: String,
            _ value: JSONValue,
            words: String? = nil,
            _ origin: FactOrigin? = nil,
            details: [Fact] = []
        ) {
            self.name = name
            self.value = value
            self.words = words
            self.origin = origin
            self.details = details
        }
    }

    /// The number of omitted defaults.
    var omitted = 0

    /// The explanation without settings at their defaults.
    var withoutDefaults: Explanation {
        var result = self
        for index in sections.indices { result.sections[index].facts.removeAll(where: \.isDefault) }
        result.omitted = zip(sections, result.sections).reduce(0) { $0 + $1.0.facts.count - $1.1.facts.count }
        // The list of steps is kept, even if it is empty.
        result.sections.removeAll { $0.facts.isEmpty && !$0.isList }
        return result
    }

    /// The section with a name.
    func section(_ name: String) -> Section? { sections.first { $0.name == name } }
}

extension Explanation.Section {
    /// The fact with a name.
    subscript(name: String) -> Explanation.Fact? { facts.first { $0.name == name } }
}
