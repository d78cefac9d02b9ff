import Foundation
import TestSupport
import Testing
import Yams

/// The expressions of `deploy/grafana-dashboard.json`, `deploy/alerts.yaml` and its tests.
enum MonitoringFiles {
    static let dashboard = Checkout.path("deploy/grafana-dashboard.json")
    static let alerts = Checkout.path("deploy/alerts.yaml")
    static let alertTests = Checkout.path("deploy/alerts.test.yaml")

    /// A panel's title, or an alert's name, with an expression.
    typealias Expression = (title: String, text: String)

    static func panels() throws -> [Expression] {
        let data = try Data(contentsOf: URL(filePath: dashboard))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(object["panels"] as? [[String: Any]]).flatMap { panel in
            let targets = panel["targets"] as? [[String: Any]] ?? []
            return targets.compactMap { target in
                (target["expr"] as? String).map { (panel["title"] as? String ?? "", $0) }
            }
        }
    }

    static func rules() throws -> [[String: Any]] {
        let tree = try Yams.load(yaml: try String(contentsOfFile: alerts, encoding: .utf8)) as? [String: Any]
        let groups = try #require(tree?["groups"] as? [[String: Any]])
        return groups.flatMap { $0["rules"] as? [[String: Any]] ?? [] }
    }

    static func alertExpressions() throws -> [Expression] {
        try rules().compactMap { rule in
            guard let name = rule["alert"] as? String, let text = rule["expr"] as? String else { return nil }
            return (name, text)
        }
    }

    /// The series of the alerts' tests.
    static func testedSeries() throws -> [Expression] {
        try tests().flatMap { test in
            (test["input_series"] as? [[String: Any]] ?? []).compactMap { series in
                (series["series"] as? String).map { (test["name"] as? String ?? "", $0) }
            }
        }
    }

    /// The groups of the alerts' tests.
    static func tests() throws -> [[String: Any]] {
        let tree = try Yams.load(yaml: try String(contentsOfFile: alertTests, encoding: .utf8)) as? [String: Any]
        return try #require(tree?["tests"] as? [[String: Any]])
    }

    /// The metrics of an expression, with the values that it compares their labels with.
    static func selectors(_ expression: String) -> [(metric: String, labels: [(name: String, values: [String])])] {
        expression.matches(of: /\b((?:edgeprint|process)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/).map { match in
            let labels = (match.2 ?? "").matches(of: /([a-z_]+)(=~|!~|!=|=)"([^"]*)"/).map { label in
                (String(label.1), label.3.split(separator: "|").map(String.init))
            }
            return (String(match.1), labels)
        }
    }
}
