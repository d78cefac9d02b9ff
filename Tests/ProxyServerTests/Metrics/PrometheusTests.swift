import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// `/metrics`, the dashboard and the alerts with Prometheus and promtool.
///
/// `make test` installs them and requires them; without them, `swift test` alone skips these.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: Prometheus.program("promtool") != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required")
)
struct PrometheusTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra) { [picture] request, connection in
            if request.target.contains("broken") { return connection.respond("503 Unavailable", text: "no") }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
    }

    @Test func `promtool has no objection to the metrics`() throws {
        let rig = try rig()
        for width in [4, 8] { _ = try rig.get("/photos/a.png?w=\(width)") }
        let text = try rig.admin("GET", "/metrics").text
        let run = try Prometheus.promtool(["check", "metrics"], input: text)
        #expect(run.code == 0 && run.output.isEmpty, "\(run.output)")
    }

    @Test func `promtool has no objection to the alerts, each of which fires and stays silent`() throws {
        let check = try Prometheus.promtool(["check", "rules", "--lint=all", "--lint-fatal", MonitoringFiles.alerts])
        #expect(check.code == 0, "\(check.output)")
        let test = try Prometheus.promtool(["test", "rules", MonitoringFiles.alertTests])
        #expect(test.code == 0 && test.output.contains("SUCCESS"), "\(test.output)")
    }

    @Test func `every expression of the dashboard and the alerts returns data from a daemon under load`() throws {
        let rig = try rig()
        let targets = (1...40).map { "/photos/\($0).png?w=\($0)&format=webp" } + ["/photos/1.png?w=1&format=webp"]
        let load = try SteadyLoad(port: rig.daemon.port, clients: 2, targets: targets)
        load.waitForAnswers(50)
        let prometheus = try Prometheus(scraping: rig.daemon.admin)
        // Rates need several scrapes.
        try waitWhile(prometheus.query("count_over_time(up[1m])").first.map({ $0.value < 4 }) ?? true)
        for (title, text) in try MonitoringFiles.panels() + MonitoringFiles.alertExpressions() {
            let expression = text.replacing("$__rate_interval", with: "1m").replacing("$__range", with: "1m")
                .replacing("$instance", with: ".*").replacing("[5m]", with: "[1m]")
                // A comparison filters; with `bool` it returns 0 or 1.
                .replacing(#/ (>|<|==) (?!bool)/#) { " \($0.1) bool " }
            let samples = try prometheus.query(expression)
            // This daemon is in no cluster.
            #expect(!samples.isEmpty || expression.contains("edgeprint_cluster_"), "\(title): \(expression)")
        }
        let rate = try prometheus.query("sum(rate(edgeprint_requests_total[1m]))")
        #expect(try #require(rate.first).value > 0)
        #expect(try load.end().failed == [])
    }

    /// A Prometheus with the alerts, with seconds in place of their minutes, which has scraped the daemon.
    private func alerts(on rig: EndToEndRig) throws -> Prometheus {
        let rules = try String(contentsOfFile: MonitoringFiles.alerts, encoding: .utf8)
            .replacing(/\bfor: [0-9]+m/, with: "for: 0s").replacing(/\[[0-9]+[mh]\]/, with: "[20s]")
        let prometheus = try Prometheus(scraping: rig.daemon.admin, rules: rules)
        try waitWhile(prometheus.query("up == 1").isEmpty)
        return prometheus
    }

    /// Waits until alerts fire, and does something repeatedly meanwhile.
    private func wait(
        for expected: Set<String>,
        of prometheus: Prometheus,
        while work: () throws -> Void = {}
    ) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !prometheus.firing().isSuperset(of: expected) {
            try #require(ContinuousClock.now < end, "\(expected) do not fire")
            try work()
        }
    }

    @Test func `alerts fire for failing origins, lost lines, many clients, a wrong configuration and a dead daemon`()
        throws
    {
        let rig = try rig("log: { rate: 8 }\nlimits: { connections: 8 }")
        let prometheus = try alerts(on: rig)
        #expect(try prometheus.firing().isDisjoint(with: ["EdgeprintErrors", "EdgeprintReloadRefused"]))
        var number = 0
        let failing: Set = ["EdgeprintErrors", "EdgeprintOriginFailing", "EdgeprintBreakerOpen", "EdgeprintLogDropped"]
        try wait(for: failing, of: prometheus) {
            for _ in 1...10 {
                number += 1
                let status = try rig.get("/photos/broken\(number).png?w=4").status
                #expect(status >= 500)
            }
        }
        let idle = try (0..<8).map { _ in try RawHTTPClient(port: rig.daemon.port) }
        try wait(for: ["EdgeprintConnections"], of: prometheus)
        #expect(idle.count == 8)
        try rig.daemon.rewrite("cache: { path: \"/nowhere\", nonsense: 1 }\n")
        rig.daemon.signal(SIGHUP)
        try wait(for: ["EdgeprintReloadRefused"], of: prometheus)
        rig.daemon.killNow()
        try wait(for: ["EdgeprintDown"], of: prometheus)
    }

    @Test func `alerts fire for overload, for lost workers and without workers`() throws {
        let rig = try rig("workers: { count: 2 }\nlimits: { memory-idle: 0s }\noverload: { queue-time: 2s }")
        #expect(try rig.get("/photos/a.png?w=10").status == 200)
        let prometheus = try alerts(on: rig)
        #expect(try prometheus.firing().isDisjoint(with: ["EdgeprintShedding", "EdgeprintWorkersLost"]))
        // It is expected to take longer than timeouts.transform permits, and takes that time.
        let long = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 40_000)
        try long.send("GET /photos/a.png?w=3000&enlarge=1&format=avif&effort=8 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.waitUntil("edgeprint_workers_busy", is: 1)
        for width in 11...20 {
            let status = try rig.get("/photos/a.png?w=\(width)").status
            #expect(status == 503)
        }
        try wait(for: ["EdgeprintShedding"], of: prometheus)
        try wait(for: ["EdgeprintWorkersLost"], of: prometheus) {
            // A worker that ends before it is ready has failed to start, and is not counted as lost.
            guard try rig.metric("edgeprint_workers_ready") == 2 else { return }
            for worker in try workers(of: rig.daemon) { kill(worker, SIGKILL) }
        }
        try wait(for: ["EdgeprintNoWorkers"], of: prometheus) {
            for worker in try workers(of: rig.daemon) { kill(worker, SIGKILL) }
        }
        withExtendedLifetime(long) {}
    }

    /// The processes that a daemon has started.
    private func workers(of daemon: DaemonProcess) throws -> [pid_t] {
        let tasks = "/proc/\(daemon.identifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
            (DaemonProcess.contents(of: "\(tasks)/\(task)/children") ?? "").split(separator: " ").compactMap {
                pid_t($0)
            }
        }
    }
}
