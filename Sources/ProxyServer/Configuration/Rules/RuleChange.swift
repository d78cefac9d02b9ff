import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// Whether a rule refuses requests.
enum RuleAccess: Sendable, Equatable {
    /// The request is refused with 403.
    case deny
    /// An earlier `deny` is lifted; signatures and other access rules still apply.
    case allow
}

/// A query parameter for the origin that is set, or removed.
struct QueryEdit: Sendable, Hashable {
    /// Decoded.
    var name: String
    /// Decoded; `nil` removes the parameter.
    var value: String?
}

/// A status of the origin, and the one as which it is treated.
struct StatusTreatment: Sendable, Hashable {
    var origin: Int
    var treated: Int
}

/// What a rule sets.
struct RuleChange: Sendable {
    /// The values of the keys that sources have, too; only those in `stated` count.
    var source: SourceSchema.Draft
    /// The names of all keys that are set, in the schema's order, without `set.`.
    var stated: [String] = []
    var priority: RulePriority?
    var requestFields: [FieldEdit] = []
    var responseFields: [FieldEdit] = []
    var status: [StatusTreatment] = []
    var path: PathTemplate?
    var query: [QueryEdit] = []
    var denies = false
    var allows = false

    /// Creates a change of nothing.
    ///
    /// - Parameter configuration: the values that are not set, which have no effect.
    init(_ configuration: Configuration = Configuration()) {
        source = SourceSchema.Draft(rule: SourceRule(inheriting: configuration, named: ""))
    }

    /// The decision about access; `nil` leaves it.
    var access: RuleAccess? { denies ? .deny : allows ? .allow : nil }

    /// Whether a key is set.
    func states(_ name: String) -> Bool { stated.contains(name) }

    /// The lifetimes that are set.
    var lifetimes: RuleEffects.Lifetimes {
        RuleEffects.Lifetimes(
            ttl: states("ttl") ? source.rule.ttl : nil,
            minimum: states("ttl-min") ? source.rule.ttlMinimum : nil,
            maximum: states("ttl-max") ? source.rule.ttlMaximum : nil
        )
    }
}

extension RuleChange: Equatable {
    static func == (left: RuleChange, right: RuleChange) -> Bool {
        left.stated == right.stated
            && !RuleSchema.changes.contains { left.states($0.name) && $0.differs(left, right) }
    }
}

/// A place in the queues that a rule sets, in the words of the configuration.
enum RulePriority: String, Sendable, CaseIterable {
    case background, low, normal, high

    /// The same place.
    var request: RequestPriority {
        switch self {
        case .background: .background
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}
