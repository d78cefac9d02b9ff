import Foundation
import Glibc
import TestSupport

/// A real Prometheus on loopback, which scrapes a daemon every second.
///
/// `scripts/install-engines` installs it. It is killed when this object is released.
final class Prometheus {
    enum Failure: Error {
        case missing
        case ended(log: String)
        case refused(String)
    }

    /// A sample of a query's result.
    struct Sample {
        var labels: [String: String]
        var value: Double
    }

    /// The path of `prometheus` or `promtool`; `nil` if it is not installed.
    static func program(_ name: String) -> String? {
        var places = ["/usr/bin/\(name)"]
        var folder = URL(filePath: DaemonProcess.buildFolder)
        while folder.path != "/" {
            places.insert(folder.appending(path: "engines/prometheus/usr/bin/\(name)").path, at: 0)
            folder.deleteLastPathComponent()
        }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs promtool; its output includes its errors.
    static func promtool(_ arguments: [String], input: String = "") throws -> (code: Int32, output: String) {
        guard let program = program("promtool") else { throw Failure.missing }
        let run = try CommandRun(program: program, arguments, input: input)
        return (run.code, run.output + run.errors)
    }

    private let url: String
    private let folder: TemporaryFolder
    private let process = Process()

    /// Starts it.
    ///
    /// - Parameters:
    ///   - port: the admin listener of a daemon, which is scraped as job `edgeprint`.
    ///   - rules: the text of a file of rules.
    init(scraping port: UInt16, rules: String = "groups: []") throws {
        guard let program = Self.program("prometheus") else { throw Failure.missing }
        folder = try TemporaryFolder()
        let own = try Self.freePort()
        url = "http://127.0.0.1:\(own)"
        try rules.write(toFile: folder.path + "/rules.yaml", atomically: false, encoding: .utf8)
        try """
        global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 500ms }
        rule_files: [rules.yaml]
        scrape_configs:
          - job_name: edgeprint
            static_configs: [{ targets: ["127.0.0.1:\(port)"] }]

        """.write(toFile: folder.path + "/prometheus.yml", atomically: false, encoding: .utf8)
        let log = folder.path + "/log"
        guard FileManager.default.createFile(atPath: log, contents: nil) else { throw Failure.ended(log: log) }
        let handle = try FileHandle(forWritingTo: URL(filePath: log))
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
            "--web.listen-address=127.0.0.1:\(own)",
        ]
        (process.standardOutput, process.standardError) = (handle, handle)
        process.currentDirectoryURL = URL(filePath: folder.path)
        try process.run()
        try waitFor {
            guard process.isRunning else {
                throw Failure.ended(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            }
            return try curl("\(url)/-/ready").code == 0 ? true : nil
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The result of an instant query, which must be a vector.
    func query(_ expression: String) throws -> [Sample] {
        let run = try curl("\(url)/api/v1/query", "--get", "--data-urlencode", "query=\(expression)")
        guard let data = try result(run)["data"] as? [String: Any], let result = data["result"] as? [[String: Any]]
        else {
            throw Failure.refused("\(expression): \(run.output)")
        }
        return result.map { entry in
            let value = (entry["value"] as? [Any])?.last as? String
            return Sample(
                labels: entry["metric"] as? [String: String] ?? [:],
                value: value.flatMap(Double.init) ?? .nan
            )
        }
    }

    /// The names of the alerts that fire.
    func firing() throws -> Set<String> {
        let data = try result(try curl("\(url)/api/v1/alerts"))["data"] as? [String: Any]
        let alerts = data?["alerts"] as? [[String: Any]] ?? []
        return Set(
            alerts.filter { $0["state"] as? String == "firing" }.compactMap {
                ($0["labels"] as? [String: String])?["alertname"]
            }
        )
    }

    private func result(_ run: CommandRun) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
            object["status"] as? String == "success"
        else { throw Failure.refused(run.output) }
        return object
    }

    private func curl(_ arguments: String...) throws -> CommandRun {
        try CommandRun(
            program: "/usr/bin/curl",
            ["-s", "--show-error", "--noproxy", "*", "--max-time", "20"]
                + (arguments[0].hasSuffix("/-/ready") ? ["--fail"] : []) + arguments
        )
    }

    /// A port that was free a moment ago, as Prometheus does not tell which one it has chosen.
    private static func freePort() throws -> UInt16 {
        let origin = try ScriptedOrigin { _, _ in }
        defer { origin.stop() }
        return origin.port
    }
}
