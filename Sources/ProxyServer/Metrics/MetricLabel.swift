/// The values of a metric's one label: a closed set of at most 32, so that nothing from outside becomes a label.
protocol MetricLabel: CaseIterable, Sendable {
    /// The label's value, letters, digits and "_" only.
    var value: String { get }
    /// A place from 0, unique among the cases.
    var index: Int { get }
}

/// No label at all.
enum NoLabel: MetricLabel {
    case only

    var value: String { "" }
    var index: Int { 0 }
}

extension RequestResult: MetricLabel {
    var value: String { label.description }
    var index: Int { Int(rawValue) }
}

/// The class of an answer's status.
enum StatusClass: Int, MetricLabel {
    case informational = 1
    case success, redirection, clientError, serverError

    var value: String { "\(rawValue)xx" }
    var index: Int { rawValue }

    /// The class of a status from 100 to 599; others count as the daemon's own fault.
    init(status: Int) { self = StatusClass(rawValue: status / 100) ?? .serverError }
}

/// How reading the configuration again ended.
enum ReloadResult: Int, MetricLabel {
    case applied, refused

    var value: String { "\(self)" }
    var index: Int { rawValue }
}
