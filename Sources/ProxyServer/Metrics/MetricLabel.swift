/// The values of a metric's one label: a closed set of at most 32, so that nothing from outside becomes a label.
protocol MetricLabel: CaseIterable, Sendable {
    /// The label's name; empty where the metric has none.
    static var name: String { get }
    /// The label's value, letters, digits and "_" only.
    var value: String { get }
    /// A place from 0, unique among the cases.
    var index: Int { get }
}

/// No label at all.
enum NoLabel: MetricLabel {
    case only

    static let name = ""
    var value: String { "" }
    var index: Int { 0 }
}

extension RequestResult: MetricLabel {
    static let name = "result"
    var value: String { label.description }
    var index: Int { Int(rawValue) }
}

/// The class of an answer's status.
enum StatusClass: Int, MetricLabel {
    case informational = 1
    case success, redirection, clientError, serverError

    static let name = "status"
    var value: String { "\(rawValue)xx" }
    var index: Int { rawValue }

    /// The class of a status from 100 to 599; others count as the daemon's own fault.
    init(status: Int) { self = StatusClass(rawValue: status / 100) ?? .serverError }
}

/// A tier or part of the cache.
enum CacheTier: Int, MetricLabel {
    case memory, originals, variants

    static let name = "tier"
    var value: String { "\(self)" }
    var index: Int { rawValue }
}
