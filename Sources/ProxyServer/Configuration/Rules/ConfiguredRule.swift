import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// An entry of `rules`: settings for the requests that it matches (SDWebImage: `SDWebImageOptionsProcessor`).
struct ConfiguredRule: Sendable, Equatable {
    /// The name in explanations; `nil` for its number.
    var name: String?
    var match = RuleMatch()
    var change: RuleChange
    /// Whether no later rule applies to a request that this one matches.
    var isLast = false

    /// The name, or the number in the file, from 1.
    func label(_ index: Int) -> String { name ?? "rule \(index + 1)" }
}

/// The conditions of a rule, all of which must hold; an empty one holds for every request.
struct RuleMatch: Sendable, Equatable {
    /// Names of sources, `fetch` among them.
    var sources: [String] = []
    /// Patterns of the origin's host, without its port.
    var hosts: [HostPattern] = []
    /// Patterns of the path below the source, or of the URL's path for `/fetch`.
    var paths: [PathGlob] = []
    var requestFields: [RuleEffects.Field] = []
    // Known only after the original was requested:
    /// Formats by the first bytes.
    var types: [ImageFormat] = []
    /// The least length in bytes.
    var sizeMinimum: Int?
    /// The greatest length in bytes.
    var sizeMaximum: Int?
    var responseFields: [RuleEffects.Field] = []

    /// The conditions on the original.
    var condition: RuleEffects.Condition {
        var condition = RuleEffects.Condition()
        condition.types = Set(types)
        if sizeMinimum != nil || sizeMaximum != nil {
            condition.size = (sizeMinimum ?? 0)...max(sizeMinimum ?? 0, sizeMaximum ?? .max)
        }
        condition.fields = responseFields
        return condition
    }

    /// Whether it needs the original.
    var isLate: Bool { !condition.isTrivial }
}

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
