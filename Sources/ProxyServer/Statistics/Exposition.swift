import LinuxSystem

/// Renders statistics in the Prometheus text format, version 0.0.4.
struct Exposition {
    /// The media type of the text.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The families in the order in which they first appear; each line ends in a line feed.
    var text: String { names.map { families[$0] ?? "" }.joined() }

    private var names: [String] = []
    private var families: [String: String] = [:]

    /// Renders the statistics of a table that have a metric.
    init<Reading>(_ table: [Statistic<Reading>], of reading: Reading) {
        for statistic in table {
            guard let metric = statistic.metric else { continue }
            let samples =
                switch statistic.source {
                case .value(let value): Self.samples(metric, value(reading))
                case .durations(let histogram): Self.samples(metric, histogram(reading))
                case .labelledDurations(let histograms): Self.samples(metric, histograms(reading))
                case .labels(let labels): Self.sample(metric, labels(reading))
                }
            guard !samples.isEmpty else { continue }
            if families[metric.name] == nil {
                names.append(metric.name)
                families[metric.name] = Self.header(metric, statistic.kind.rawValue)
            }
            families[metric.name, default: ""] += samples
        }
    }

    private static func header(_ metric: Metric, _ type: String) -> String {
        let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return "# HELP \(metric.name) \(help)\n# TYPE \(metric.name) \(type)\n"
    }

    private static func samples(_ metric: Metric, _ value: JSONValue) -> String {
        guard let label = metric.label else {
            return metric.sample(value).map { "\(metric.name) \(number($0))\n" } ?? ""
        }
        let values: [JSONValue.Member] =
            if let labelValue = metric.labelValue {
                [.init(labelValue, value)]
            } else if case .object(let members) = value {
                members
            } else {
                []
            }
        return values.map { member in
            let pair = "\(label)=\"\(escaped(member.name))\""
            guard let second = metric.secondLabel, case .object(let inner) = member.value else {
                return metric.sample(member.value).map { "\(metric.name){\(pair)} \(number($0))\n" } ?? ""
            }
            return inner.map { member in
                let pairs = "\(pair),\(second)=\"\(escaped(member.name))\""
                return metric.sample(member.value).map { "\(metric.name){\(pairs)} \(number($0))\n" } ?? ""
            }.joined()
        }.joined()
    }

    private static func samples(_ metric: Metric, _ histograms: [(String, DurationCounts)]) -> String {
        let label = metric.label ?? ""
        return histograms.map { samples(metric, $0.1, "\(label)=\"\(escaped($0.0))\"") }.joined()
    }

    private static func sample(_ metric: Metric, _ labels: [(String, String)]) -> String {
        let pairs = labels.filter { !$0.1.isEmpty }.map { "\($0.0)=\"\(escaped($0.1))\"" }
        return "\(metric.name){\(pairs.joined(separator: ","))} 1\n"
    }

    /// - Parameter pair: the label with its value; empty for none.
    private static func samples(
        _ metric: Metric,
        _ durations: DurationCounts,
        _ pair: String = ""
    ) -> String {
        let (name, cumulative) = (metric.name, durations.cumulative)
        let (first, only) = pair.isEmpty ? ("", "") : ("\(pair),", "{\(pair)}")
        let buckets = zip(durations.bounds, cumulative).map { bound, count in
            "\(name)_bucket{\(first)le=\"\(number(Double(bound) / 1e6))\"} \(count)\n"
        }
        let total = cumulative.last ?? 0
        return buckets.joined() + "\(name)_bucket{\(first)le=\"+Inf\"} \(total)\n"
            + "\(name)_sum\(only) \(number(Double(durations.sum) / 1e6))\n\(name)_count\(only) \(total)\n"
    }

    /// A label's value with backslashes, quotes and line ends escaped.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// A number, without a fraction if it is whole.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(value)
    }
}
