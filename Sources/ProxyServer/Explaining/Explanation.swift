/// What the daemon makes of a request without fetching anything: each fact with who said it.
///
/// A pure value: the command prints it and the admin listener answers it, as text for people or as JSON for programs. It holds
/// no secret: neither keys nor the values of header fields nor the signature that would have been right.
struct Explanation: Sendable, Hashable {
    /// The request's path and query as given.
    var target: String
    /// What the daemon would answer instead of a picture, as far as that is known without asking the origin.
    var problem: Problem?
    /// Empty where the request cannot be understood at all.
    var sections: [Section] = []

    /// Facts that belong together.
    struct Section: Sendable, Hashable {
        /// A stable name.
        var name: String
        var facts: [Fact]
        /// Whether the facts are numbered, and not named.
        var isList = false
    }

    /// One thing that is so, and who said it.
    struct Fact: Sendable, Hashable {
        /// A stable name.
        var name: String
        var value: JSONValue
        /// The value for people, where they need more words than programs.
        var words: String?
        /// `nil` for what follows from other facts.
        var origin: FactOrigin?
        /// What it is made of.
        var details: [Fact] = []
        /// Whether it is a setting that nobody has said anything about.
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

    /// How many settings at their defaults were left out.
    var omitted = 0

    /// Without the settings that nobody has said anything about.
    var withoutDefaults: Explanation {
        var result = self
        for index in sections.indices { result.sections[index].facts.removeAll(where: \.isDefault) }
        result.omitted = zip(sections, result.sections).reduce(0) { $0 + $1.0.facts.count - $1.1.facts.count }
        // Steps stay where there are none of them.
        result.sections.removeAll { $0.facts.isEmpty && !$0.isList }
        return result
    }

    /// The section of a name.
    func section(_ name: String) -> Section? { sections.first { $0.name == name } }
}

extension Explanation.Section {
    /// The fact of a name.
    subscript(name: String) -> Explanation.Fact? { facts.first { $0.name == name } }
}
