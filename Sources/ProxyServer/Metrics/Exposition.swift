/// Writes metrics as Prometheus reads them (text format 0.0.4).
struct Exposition {
    /// The media type of the text.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far; each line ends in a line feed.
    private(set) var text = ""

    /// Writes a counter.
    mutating func counter<Label>(_ name: String, _ help: String, _ counter: Counter<Label>) {
        family(name, help, "counter")
        for label in Label.allCases { sample(name, labels(of: label), String(counter.value(label))) }
    }

    /// Writes a counter that another part keeps.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, help, "counter")
        sample(name, "", String(value))
    }

    /// Writes a counter that another part keeps, a value for each case of a label.
    mutating func counter<Label: MetricLabel>(_ name: String, _ help: String, _ values: (Label) -> UInt64) {
        family(name, help, "counter")
        for label in Label.allCases { sample(name, labels(of: label), String(values(label))) }
    }

    /// Writes a gauge, a value for each case of a label; cases without value are left out.
    mutating func gauge<Label: MetricLabel>(_ name: String, _ help: String, _ values: (Label) -> Double?) {
        family(name, help, "gauge")
        for label in Label.allCases {
            if let value = values(label) { sample(name, labels(of: label), Exposition.number(value)) }
        }
    }

    /// Writes a gauge without label.
    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        family(name, help, "gauge")
        sample(name, "", Exposition.number(value))
    }

    /// Writes a histogram in seconds.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        family(name, help, "histogram")
        let cumulative = histogram.cumulative
        for (bound, count) in zip(histogram.bounds, cumulative) {
            sample(name + "_bucket", "{le=\"\(Exposition.number(Double(bound) / 1e6))\"}", String(count))
        }
        let total = String(cumulative.last ?? 0)
        sample(name + "_bucket", "{le=\"+Inf\"}", total)
        sample(name + "_sum", "", Exposition.number(Double(histogram.sum) / 1e6))
        sample(name + "_count", "", total)
    }

    private mutating func family(_ name: String, _ help: String, _ type: String) {
        let escaped = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        text += "# HELP \(name) \(escaped)\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: String, _ value: String) {
        text += "\(name)\(labels) \(value)\n"
    }

    private func labels<Label: MetricLabel>(of label: Label) -> String {
        Label.name.isEmpty ? "" : "{\(Label.name)=\"\(label.value)\"}"
    }

    /// A number without a needless fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(value)
    }
}
