package import HTTPSemantics
package import ImagePlan

/// What the rules of the configuration that match a request decide beyond the source's settings.
package struct RuleEffects: Hashable, Sendable {
    /// A condition on a header field: a name in lower case, and a pattern of its values, joined by `, `.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: Glob

        /// Creates a condition.
        package init(name: String, value: Glob) {
            self.name = name
            self.value = value
        }
    }

    /// Conditions on the original, all of which must hold; they are known only after it was requested.
    package struct Condition: Hashable, Sendable {
        /// The formats by the first bytes; empty for any.
        package var types: Set<ImageFormat> = []
        /// The length in bytes.
        package var size: ClosedRange<Int>?
        /// The response's header fields.
        package var fields: [Field] = []

        /// Creates a condition that always holds.
        package init() {}

        /// Whether it always holds.
        package var isTrivial: Bool { types.isEmpty && size == nil && fields.isEmpty }

        func holds(_ facts: Facts) -> Bool {
            if !types.isEmpty {
                guard let type = facts.type, types.contains(type == .svgz ? .svg : type) else { return false }
            }
            if let size {
                guard let length = facts.length, size.contains(length) else { return false }
            }
            return fields.allSatisfy { field in facts.fields[field.name].map { field.value.matches($0) } ?? false }
        }
    }

    /// The properties of an original that conditions are about.
    package struct Facts {
        package var type: ImageFormat?
        /// Bytes.
        package var length: Int?
        package var fields: FieldLines

        /// Creates facts.
        package init(type: ImageFormat? = nil, length: Int? = nil, fields: FieldLines = FieldLines()) {
            self.type = type
            self.length = length
            self.fields = fields
        }
    }

    /// Freshness lifetimes in seconds; `nil` leaves one as it is.
    package struct Lifetimes: Hashable, Sendable {
        package var ttl: Int64?
        package var minimum: Int64?
        package var maximum: Int64?

        /// Creates lifetimes.
        package init(ttl: Int64? = nil, minimum: Int64? = nil, maximum: Int64? = nil) {
            self.ttl = ttl
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// What one rule decides about responses.
    package struct Step: Hashable, Sendable {
        package var condition: Condition
        package var lifetimes: Lifetimes
        /// The status as which another one is treated.
        package var status: [Int: Int]
        /// Whether no later step is considered if the condition holds.
        package var isLast: Bool

        /// Creates a step.
        package init(condition: Condition, lifetimes: Lifetimes, status: [Int: Int], isLast: Bool) {
            self.condition = condition
            self.lifetimes = lifetimes
            self.status = status
            self.isLast = isLast
        }
    }

    /// The steps in the rules' order; a later one overrides an earlier one.
    package var steps: [Step] = []
    /// The lifetimes before the first step: those of the source.
    package var base = Lifetimes()
    /// The client's header fields that a raw source does not forward, in lower case.
    package var withheld: [String] = []
    /// The header fields of responses that are set or removed.
    package var responseFields: [FieldEdit] = []
    /// What the original's bytes depend on besides its URL, as a part of its key; empty for nothing.
    package var keyText = ""
    /// The request fields that rules compare, in lower case; responses of raw sources vary by them.
    package var vary: [String] = []
    /// The place of raw requests in the queues; `nil` for the client's choice.
    package var priority: RequestPriority?

    /// Creates effects of no rule.
    package init() {}

    /// Whether lifetimes depend on the response.
    var hasLateLifetimes: Bool { steps.contains { !$0.condition.isTrivial } }

    /// The names of the response fields that conditions read, in lower case.
    var fieldNames: Set<String> { Set(steps.flatMap { $0.condition.fields.map(\.name) }) }

    /// The function that transfers call with a status; `nil` if no status is treated as another.
    var statusTreatment: (@Sendable (Int, FieldLines) -> Int)? {
        guard steps.contains(where: { !$0.status.isEmpty }) else { return nil }
        return { [self] status, fields in treatedStatus(status, fields) }
    }

    /// The status as which a response is treated.
    package func treatedStatus(_ status: Int, _ fields: FieldLines) -> Int {
        var treated = status
        for step in matching(Facts(fields: fields)) { treated = step.status[status] ?? treated }
        return treated
    }

    /// The lifetimes for an original.
    package func lifetimes(_ facts: Facts) -> Lifetimes {
        matching(facts).reduce(into: base) { result, step in
            result.ttl = step.lifetimes.ttl ?? result.ttl
            result.minimum = step.lifetimes.minimum ?? result.minimum
            result.maximum = step.lifetimes.maximum ?? result.maximum
        }
    }

    private func matching(_ facts: Facts) -> [Step] {
        var found: [Step] = []
        for step in steps where step.condition.holds(facts) {
            found.append(step)
            if step.isLast { break }
        }
        return found
    }
}

/// A header field that is set, or removed.
package struct FieldEdit: Hashable, Sendable {
    /// As written.
    package var name: String
    /// `nil` removes the field.
    package var value: String?

    /// Creates an edit.
    package init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    /// The name in lower case.
    package var key: String { name.lowercased() }
}
