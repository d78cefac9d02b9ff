import ImagePipeline

/// The values of a metric's label: a fixed set of at most 32, so that no external input becomes a label.
protocol MetricLabel: CaseIterable, Sendable {
    /// The label's value: letters, digits and "_".
    var value: String { get }
    /// The index from 0, unique among the cases.
    var index: Int { get }
}

/// The label of a metric without labels.
enum NoLabel: MetricLabel {
    case only

    var value: String { "" }
    var index: Int { 0 }
}

extension RequestResult: MetricLabel {
    var value: String { label.description }
    var index: Int { Int(rawValue) }
}

extension BrownoutRung: MetricLabel {
    var value: String { rawValue }
    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The class of a response status.
enum StatusClass: Int, MetricLabel {
    case informational = 1
    case success, redirection, clientError, serverError

    var value: String { "\(rawValue)xx" }
    var index: Int { rawValue }

    /// The class of a status from 100 to 599; any other status counts as a server error.
    init(status: Int) { self = StatusClass(rawValue: status / 100) ?? .serverError }
}

extension EntityFormat: MetricLabel {
    var value: String { label.description }
    var index: Int { Int(rawValue) }
}

/// Why a request was refused to protect others.
enum ShedReason: Int, MetricLabel {
    /// Its work would have waited for too long, or too much waited (503).
    case overload
    /// Its client or signing key asked for too much (429).
    case client

    var value: String { "\(self)" }
    var index: Int { rawValue }
}

/// The result of a configuration reload.
enum ReloadResult: Int, MetricLabel {
    case applied, refused

    var value: String { "\(self)" }
    var index: Int { rawValue }
}
