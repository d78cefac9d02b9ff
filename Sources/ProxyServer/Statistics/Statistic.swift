/// One number or fact that the daemon reports, declared once: its value, its Prometheus metric, its place in the JSON of
/// `/stats`, and its phrase in `edgeprint stats`.
///
/// `Exposition`, `JSONValue.init(_:of:)` and `StatisticsLines` render a table of these and know none of them by name.
struct Statistic<Reading>: Sendable {
    /// How the value behaves over time, in Prometheus's terms.
    enum MetricType: String, Sendable {
        /// Only grows, from the daemon's start.
        case counter
        case gauge
        case histogram
    }

    /// Where the value comes from.
    enum Source: Sendable {
        /// A number, a fact, or an object of numbers by label.
        case value(@Sendable (Reading) -> JSONValue)
        /// Durations; Prometheus alone can show them.
        case durations(@Sendable (Reading) -> any DurationDistribution)
    }

    let kind: MetricType
    /// The place in the JSON, member names joined by dots; `nil` where the JSON leaves it out.
    let path: String?
    /// `nil` where Prometheus is not told.
    let metric: Metric?
    /// What `edgeprint stats` says of it; only of statistics that have a path.
    let phrases: [Phrase]
    let source: Source
    /// Whether the JSON has it; an object none of whose members are listed is `null`.
    let isListed: @Sendable (Reading) -> Bool

    private init(
        _ kind: MetricType,
        _ path: String?,
        _ metric: Metric?,
        _ phrases: [Phrase],
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ source: Source
    ) {
        (self.kind, self.path, self.metric, self.phrases) = (kind, path, metric, phrases)
        (self.isListed, self.source) = (isListed, source)
    }

    /// The value; `null` of a histogram.
    func value(_ reading: Reading) -> JSONValue {
        if case .value(let value) = source { value(reading) } else { .null }
    }
}

extension Statistic {
    /// A number that only grows.
    static func counter(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ value: @escaping @Sendable (Reading) -> some BinaryInteger & SendableMetatype
    ) -> Statistic {
        Statistic(
            .counter,
            path,
            metric,
            phrase.map { [$0] } ?? [],
            isListed: isListed,
            .value { .number(Int(clamping: value($0))) }
        )
    }

    /// Numbers that only grow, one for each value of the metric's label.
    static func counters(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        _ values: @escaping @Sendable (Reading) -> [(String, Int)]
    ) -> Statistic {
        Statistic(
            .counter,
            path,
            metric,
            phrase.map { [$0] } ?? [],
            .value { .object(values($0).sorted { $0.0 < $1.0 }.map { .init($0.0, .number($0.1)) }) }
        )
    }

    /// A whole number that rises and falls.
    static func gauge(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ value: @escaping @Sendable (Reading) -> some BinaryInteger & SendableMetatype
    ) -> Statistic {
        Statistic(
            .gauge,
            path,
            metric,
            phrase.map { [$0] } ?? [],
            isListed: isListed,
            .value { .number(Int(clamping: value($0))) }
        )
    }

    /// Anything else that has one value at a time; Prometheus is not told of `null`.
    static func fact(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        and second: Phrase? = nil,
        _ value: @escaping @Sendable (Reading) -> JSONValue
    ) -> Statistic {
        Statistic(.gauge, path, metric, [phrase, second].compactMap(\.self), .value(value))
    }

    /// Durations, in seconds for Prometheus.
    static func durations(
        _ metric: Metric,
        _ value: @escaping @Sendable (Reading) -> any DurationDistribution
    ) -> Statistic {
        Statistic(.histogram, nil, metric, [], .durations(value))
    }
}

/// A statistic's Prometheus metric.
struct Metric: Sendable {
    /// The family's name; counters end in `_total`.
    let name: String
    /// One sentence; the first statistic of a family states it for all.
    let help: String
    /// The label's name; `nil` for none.
    let label: String?
    /// The label's value; `nil` where the statistic has one number for each value of the label.
    let labelValue: String?
    /// The sample of a value; `nil` leaves it out.
    let sample: @Sendable (JSONValue) -> Double?

    init(
        _ name: String,
        _ help: String,
        label: String? = nil,
        is labelValue: String? = nil,
        sample: @escaping @Sendable (JSONValue) -> Double? = { $0.double }
    ) {
        (self.name, self.help, self.label, self.labelValue, self.sample) = (name, help, label, labelValue, sample)
    }
}

/// What a statistic adds to a line of `edgeprint stats`; phrases of one line stand in the table's order.
struct Phrase: Sendable {
    /// The lines of the output, from the first.
    enum Row: String, CaseIterable, Sendable {
        case edgeprint, requests, results, memory, raw, disk, originals, variants, transfers, workers, connections
        case coders, writes

        /// The name at the line's start; empty for one that continues the line above.
        var title: String { self == .results || self == .writes ? "" : rawValue }
    }

    /// How the number is written.
    enum Form: Sendable {
        /// `12 active`; without words the number alone.
        case number(String = "")
        /// `1 job`, `2 jobs`; the plural where it does not end in "s".
        case noun(String, plural: String? = nil)
        /// `3 MiB sent`.
        case size(String = "")
        /// `2 of 3 ready`; the path of the whole.
        case part(of: String, String)
        /// `1 MiB of 4 MiB (25 %)`; the path of the whole.
        case sizeOf(String)
        /// Anything else; `nil` leaves it out.
        case written(@Sendable (StatisticsChange) -> String?)
    }

    let line: Row
    let form: Form
    /// Whether the growth per second follows, in parentheses.
    let showsRate: Bool
    let omitsZero: Bool

    init(_ line: Row, _ form: Form, rate: Bool = false, omitsZero: Bool = false) {
        (self.line, self.form, showsRate, self.omitsZero) = (line, form, rate, omitsZero)
    }
}
