import ImagePipeline
import ImagePlan

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
