import Foundation
import TestSupport
import Testing

@testable import ProxyServer

/// The dashboard and the alerts fit the metrics of the daemon.
@Suite(.timeLimit(.minutes(1)))
struct MonitoringFileTests {
    /// The labels that Prometheus adds, and the variables of the dashboard.
    private static let added: Set<String> = ["instance", "job"]

    /// The names of all series of a daemon, and their labels as `name{label="value"}`.
    private func series() throws -> Set<String> {
        let rig = try EndToEndRig(LonelyNode.yaml) { _, connection in connection.respond("404 Not Found", text: "no") }
        _ = try rig.get("/photos/none.png")
        var found: Set<String> = ["up"]
        for line in try rig.admin("GET", "/metrics").text.split(separator: "\n") where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }
            found.insert(String(name))
            for label in line.matches(of: /([a-z]+)="([^"]*)"/) { found.insert("\(name){\(label.1)=\"\(label.2)\"}") }
        }
        return found
    }

    @Test func `every metric, label and value of the dashboard, the alerts and their tests exists`() throws {
        let series = try series()
        let expressions =
            try MonitoringFiles.panels() + MonitoringFiles.alertExpressions() + MonitoringFiles.testedSeries()
        #expect(expressions.count > 100)
        for (title, text) in expressions {
            let selectors = MonitoringFiles.selectors(text)
            #expect(!selectors.isEmpty, "\(title): \(text)")
            for (metric, labels) in selectors {
                #expect(series.contains(metric), "\(title): \(metric)")
                for label in labels where !Self.added.contains(label.name) {
                    for value in label.values {
                        let isKnown = series.contains("\(metric){\(label.name)=\"\(value)\"}")
                        #expect(isKnown, "\(title): \(metric){\(label.name)=\"\(value)\"}")
                    }
                }
            }
        }
    }

    @Test func `the page 'Metrics' lists every metric with its type, labels and help`() throws {
        // A raw source and a site, so that nothing is left out.
        let rig = try EndToEndRig(
            "sites: { shop: { hosts: [shop.example], sources: {}, quota: { memory: 8MiB } } }\n" + LonelyNode.yaml,
            sources: "\n  files: { url: \"http://127.0.0.1:9/\", raw: true, allow-private: true }"
        ) { _, connection in connection.respond("404 Not Found", text: "no") }
        var found: [String: [String]] = [:]
        for line in try rig.admin("GET", "/metrics").text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                found[parts[2]] = [parts[3]]
            } else if line.hasPrefix("# TYPE ") {
                found[parts[2]]?.insert(parts[3], at: 0)
            } else if let name = Self.family(of: parts[0], among: found) {
                let labels = parts[0].matches(of: /([a-z]+)="/).map { "`\($0.1)`" }.filter { $0 != "`le`" }
                if found[name]?.count == 2 { found[name]?.insert(labels.joined(separator: " "), at: 1) }
            }
        }
        let rows = try MarkdownTable(in: "Sources/ProxyServer/ProxyServer.docc/Metrics.md", below: "## All metrics")
            .rows
        var listed: [String: [String]] = [:]
        for row in rows {
            let cells = row.map { $0.trimmingCharacters(in: .whitespaces) }
            listed[cells[0].replacing("`", with: "")] = Array(cells.dropFirst())
        }
        #expect(listed.count == rows.count)
        for (name, cells) in found where name != "edgeprint_build_info" { #expect(listed[name] == cells, "\(name)") }
        // Those that only some kernels support.
        let optional: Set = [
            "edgeprint_memory_stalled_ratio", "edgeprint_control_group_used_bytes",
            "edgeprint_control_group_limit_bytes",
        ]
        #expect(Set(listed.keys).subtracting(found.keys).isSubset(of: optional))
    }

    /// The family of a sample.
    private static func family(of sample: String, among families: [String: [String]]) -> String? {
        let name = String(sample.prefix { $0 != "{" })
        if families[name] != nil { return name }
        return ["_bucket", "_sum", "_count"].filter(name.hasSuffix).map { String(name.dropLast($0.count)) }
            .first { families[$0] != nil }
    }

    @Test func `every alert has a summary, a description, a severity, and two tests`() throws {
        let rules = try MonitoringFiles.rules()
        let names = rules.compactMap { $0["alert"] as? String }
        #expect(names.count == rules.count && Set(names).count == names.count && names.count > 20)
        for rule in rules {
            let notes = try #require(rule["annotations"] as? [String: String])
            #expect(Set(notes.keys) == ["summary", "description"] && notes["description"]?.hasSuffix(".") == true)
            let severity = try #require((rule["labels"] as? [String: String])?["severity"])
            #expect(["info", "warning", "critical"].contains(severity))
        }
        let tests = try MonitoringFiles.tests().compactMap { $0["name"] as? String }
        #expect(tests.sorted() == names.flatMap { ["\($0) fires", "\($0) stays silent"] }.sorted())
    }

    @Test func `the dashboard is a file that Grafana can import`() throws {
        let data = try Data(contentsOf: URL(filePath: MonitoringFiles.dashboard))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["uid"] as? String == "edgeprint" && object["schemaVersion"] is Int)
        let panels = try #require(object["panels"] as? [[String: Any]])
        let numbers = panels.compactMap { $0["id"] as? Int }
        #expect(numbers.count == panels.count && Set(numbers).count == numbers.count)
        var taken: Set<[Int]> = []
        for panel in panels {
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y, w, h) = (place["x"] ?? -1, place["y"] ?? -1, place["w"] ?? 0, place["h"] ?? 0)
            #expect(x >= 0 && y >= 0 && w > 0 && x + w <= 24)
            for column in x..<x + w {
                for row in y..<y + h { #expect(taken.insert([column, row]).inserted, "\(panel["title"] ?? "")") }
            }
        }
    }
}
