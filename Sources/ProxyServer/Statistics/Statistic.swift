import LinuxSystem

/// One number or fact that the daemon reports, declared once: its value, its Prometheus metric, its place in the JSON of
/// `/stats`, and its phrase in `edgeprint stats`.
///
/// `Exposition`, `JSONValue.init(_:of:)` and `StatisticsLines` render a table of statistics without naming any of them.
struct Statistic<Reading>: Sendable {
    /// The Prometheus metric type.
    enum MetricType: String, Sendable {
        /// Only increases, from 0 at the daemon's start.
        case counter
        case gauge
        case histogram
    }

    /// How the value is read.
    enum Source: Sendable {
        /// A number, a fact, or an object of numbers by label.
        case value(@Sendable (Reading) -> JSONValue)
        /// Durations, which only Prometheus reports.
        case durations(@Sendable (Reading) -> DurationCounts)
        /// Durations by the value of the metric's label, which only Prometheus reports.
        case labelledDurations(@Sendable (Reading) -> [(String, DurationCounts)])
        /// Facts that Prometheus reports as the labels of a sample of 1.
        case labels(@Sendable (Reading) -> [(String, String)])
    }

    let kind: MetricType
    /// The path in the JSON, member names joined by dots; `nil` if the JSON omits the statistic.
    let path: String?
    /// `nil` if Prometheus does not report the statistic.
    let metric: Metric?
    /// The phrases in the output of `edgeprint stats`; only for statistics with a path.
    let phrases: [Phrase]
    let source: Source
    /// Whether the JSON includes it; an object without included members is `null`.
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

    /// The value; `null` for a histogram.
    func value(_ reading: Reading) -> JSONValue {
        if case .value(let value) = source { value(reading) } else { .null }
    }
}

extension Statistic {
    /// A number that only increases.
    static func counter(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ value: @escaping @Sendable (Reading) -> some BinaryInteger & SendableMetatype
    ) -> Statistic {
        Statistic(.counter, path, metric, phrase.map { [$0] } ?? [], isListed: isListed, number(value))
    }

    /// Numbers that only increase, one for each value of the metric's label.
    static func counters(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ values: @escaping @Sendable (Reading) -> [(String, Int)]
    ) -> Statistic {
        Statistic(.counter, path, metric, phrase.map { [$0] } ?? [], isListed: isListed, numbers(values))
    }

    /// A whole number that can increase and decrease.
    static func gauge(
        _ path: String?,
        _ metric: Metric? = nil,
        _ phrase: Phrase? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ value: @escaping @Sendable (Reading) -> some BinaryInteger & SendableMetatype
    ) -> Statistic {
        Statistic(.gauge, path, metric, phrase.map { [$0] } ?? [], isListed: isListed, number(value))
    }

    /// Whole numbers that can increase and decrease, one for each value of the metric's label.
    static func gauges(
        _ path: String?,
        _ metric: Metric? = nil,
        isListed: @escaping @Sendable (Reading) -> Bool = { _ in true },
        _ values: @escaping @Sendable (Reading) -> [(String, Int)]
    ) -> Statistic {
        Statistic(.gauge, path, metric, [], isListed: isListed, numbers(values))
    }

    private static func number(
        _ value: @escaping @Sendable (Reading) -> some BinaryInteger & SendableMetatype
    ) -> Source {
        .value { .number(Int(clamping: value($0))) }
    }

    /// Numbers by label, in its order.
    private static func numbers(_ values: @escaping @Sendable (Reading) -> [(String, Int)]) -> Source {
        .value { .object(values($0).sorted { $0.0 < $1.0 }.map { .init($0.0, .number($0.1)) }) }
    }

    /// A number with a fraction that only increases; Prometheus alone reports it.
    static func total(_ metric: Metric, _ value: @escaping @Sendable (Reading) -> Double) -> Statistic {
        Statistic(.counter, nil, metric, [], .value { .decimal(value($0)) })
    }

    /// Numbers that only increase, by the values of the metric's two labels; Prometheus alone reports them.
    static func crossCounters(
        _ metric: Metric,
        _ values: @escaping @Sendable (Reading) -> [(String, [(String, Int)])]
    ) -> Statistic {
        Statistic(
            .counter,
            nil,
            metric,
            [],
            .value { reading in
                .object(
                    values(reading).map { outer in
                        .init(outer.0, .object(outer.1.map { .init($0.0, .number($0.1)) }))
                    }
                )
            }
        )
    }

    /// Any other single value; Prometheus omits `null`.
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
        _ value: @escaping @Sendable (Reading) -> DurationCounts
    ) -> Statistic {
        Statistic(.histogram, nil, metric, [], .durations(value))
    }

    /// Durations by the values of the metric's label, in seconds for Prometheus.
    static func labelledDurations(
        _ metric: Metric,
        _ values: @escaping @Sendable (Reading) -> [(String, DurationCounts)]
    ) -> Statistic {
        Statistic(.histogram, nil, metric, [], .labelledDurations(values))
    }

    /// Facts as the labels of a sample of 1; those with an empty text are omitted.
    static func labels(
        _ metric: Metric,
        _ values: @escaping @Sendable (Reading) -> [(String, String)]
    ) -> Statistic {
        Statistic(.gauge, nil, metric, [], .labels(values))
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
    /// The name of a second label, for objects of objects; `nil` for none.
    let secondLabel: String?
    /// The label's value; `nil` if the statistic has one number for each value of the label.
    let labelValue: String?
    /// Converts a value to a sample; `nil` omits it.
    let sample: @Sendable (JSONValue) -> Double?

    init(
        _ name: String,
        _ help: String,
        label: String? = nil,
        _ secondLabel: String? = nil,
        is labelValue: String? = nil,
        sample: @escaping @Sendable (JSONValue) -> Double? = { $0.double }
    ) {
        (self.name, self.help, self.label, self.labelValue, self.sample) = (name, help, label, labelValue, sample)
        self.secondLabel = secondLabel
    }
}

/// A statistic's part of a line of `edgeprint stats`; the phrases of a line are in the table's order.
struct Phrase: Sendable {
    /// The lines of the output, in order.
    enum Row: String, CaseIterable, Sendable {
        case edgeprint, requests, results, memory, raw, disk, originals, variants, transfers, workers, connections
        case coders, writes

        /// The name at the line's start; empty for one that continues the line above.
        var title: String { self == .results || self == .writes ? "" : rawValue }
    }

    /// How the number is written.
    enum Form: Sendable {
        /// `12 active`; only the number if the text is empty.
        case number(String = "")
        /// `1 job`, `2 jobs`; `plural` if it is not formed with "s".
        case noun(String, plural: String? = nil)
        /// `3 MiB sent`.
        case size(String = "")
        /// `2 of 3 ready`; the path of the whole.
        case part(of: String, String)
        /// `1 MiB of 4 MiB (25 %)`; the path of the whole.
        case sizeOf(String)
        /// Anything else; `nil` omits the phrase.
        case written(@Sendable (StatisticsChange) -> String?)
    }

    let line: Row
    let form: Form
    /// Whether the increase per second is appended in parentheses.
    let showsRate: Bool
    let omitsZero: Bool

    init(_ line: Row, _ form: Form, rate: Bool = false, omitsZero: Bool = false) {
        (self.line, self.form, showsRate, self.omitsZero) = (line, form, rate, omitsZero)
    }
}
