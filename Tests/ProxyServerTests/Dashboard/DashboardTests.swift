import Foundation
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct DashboardTests {
    private let plain = TerminalLook(["NO_COLOR": "1", "LANG": "C"])
    private let rich = TerminalLook(["LANG": "en_US.UTF-8"])
    private let size = TerminalSize(columns: 100, rows: 40)

    private func reading(_ seconds: Double, requests: Int, memory: Int, miss: Int, slow: Int = 0) -> Dashboard.Reading {
        let text = """
            {"version":"1.2.3","uptime":\(Int(seconds)),"ready":true,
             "requests":{"total":\(requests),"inFlight":3,"bytes":\(requests * 1024),
              "results":{"memory":\(memory),"miss":\(miss)}},
             "workers":{"slots":4,"ready":4,"busy":2,"queued":5,"queuedMilliseconds":120,"predictedWait":30,"jobs":\(miss)},
             "transfers":{"requests":\(miss),"bytes":\(miss * 2048),"active":1,"waiting":0},
             "memory":{"quota":1048576,"bytes":524288,"entries":12,"evictions":0},
             "disk":{"health":"ok","originals":{"quota":1000,"bytes":250,"entries":1,"evictions":0},
              "variants":{"quota":0,"bytes":0,"entries":0,"evictions":0}},
             "connections":{"open":10,"limit":100}}
            """
        let metrics = """
            edgeprint_request_duration_seconds_bucket{le="0.001"} \(requests - slow)
            edgeprint_request_duration_seconds_bucket{le="0.1"} \(requests)
            edgeprint_request_duration_seconds_bucket{le="+Inf"} \(requests)
            """
        return Dashboard.Reading(
            statistics: JSONValue(parsing: text) ?? .null,
            metrics: metrics,
            at: Int64(seconds * 1e9)
        )
    }

    private func dashboard(_ readings: [Dashboard.Reading]) -> Dashboard {
        var dashboard = Dashboard()
        for reading in readings { dashboard.add(reading) }
        return dashboard
    }

    private func line(_ label: String, of lines: [String]) throws -> String {
        try #require(lines.first { $0.hasPrefix(label) }, "\(lines)")
    }

    @Test func `shows rates, hits and latencies since the previous reading`() throws {
        let dashboard = dashboard([
            reading(10, requests: 100, memory: 50, miss: 50),
            reading(12, requests: 300, memory: 240, miss: 60, slow: 30),
        ])
        let lines = dashboard.lines(size, plain, interval: 2)
        #expect(lines[0] == "edgeprint 1.2.3, up 12s, ready; every 2 s, Ctrl-C ends")
        #expect(try line("requests", of: lines).contains("100/s, 100 KiB/s sent, 3 running"))
        #expect(try line("hits", of: lines).contains("95 % without origin"))
        #expect(try line("results", of: lines).contains("memory 95/s, miss 5/s"))
        #expect(try line("latency", of: lines).contains("p50 588 us, p95 67 ms, p99 93 ms"))
        #expect(try line("workers", of: lines).contains(" 2 busy, 4 of 4 ready, 5/s"))
        #expect(try line("queue", of: lines).contains("5 jobs of 120 ms, a new client waits 30 ms"))
        #expect(try line("memory", of: lines).contains("512 KiB of 1 MiB, 12 entries"))
        #expect(try line("originals", of: lines).contains("[########"))
        #expect(!lines.contains { $0.hasPrefix("variants") }, "a tier without a quota is left out")
    }

    @Test func `fits into the terminal, whatever its size`() {
        let dashboard = dashboard([
            reading(10, requests: 100, memory: 50, miss: 50), reading(12, requests: 300, memory: 240, miss: 60),
        ])
        for (columns, rows) in [(200, 60), (80, 24), (40, 10), (7, 3), (1, 1)] {
            let lines = dashboard.lines(TerminalSize(columns: columns, rows: rows), plain, interval: 2)
            #expect(lines.count <= rows && lines.allSatisfy { $0.count <= columns }, "\(columns) × \(rows)")
        }
        let coloured = dashboard.lines(TerminalSize(columns: 40, rows: 24), rich, interval: 2)
        let sequence = /\u{1B}\[[0-9;]*m/
        #expect(coloured.allSatisfy { $0.replacing(sequence, with: "").count <= 40 })
    }

    @Test func `has colours and characters beyond ASCII only where the terminal can show them`() {
        let dashboard = dashboard([reading(10, requests: 100, memory: 50, miss: 50)])
        let lines = dashboard.lines(size, plain, interval: 2).joined()
        #expect(lines.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        let shown = dashboard.lines(size, rich, interval: 2).joined()
        #expect(shown.contains("\u{1B}[32m") && shown.contains("█"))
        #expect(!TerminalLook(["NO_COLOR": "1", "LC_ALL": "C.UTF-8"]).isColoured)
        #expect(TerminalLook(["NO_COLOR": "", "LC_ALL": "C.UTF-8"]).isColoured)
        #expect(!TerminalLook(["LC_ALL": "POSIX", "LANG": "de_DE.utf8"]).isUnicode)
    }

    @Test func `keeps the last numbers while the daemon does not answer`() {
        var dashboard = dashboard([reading(10, requests: 100, memory: 50, miss: 50)])
        dashboard.fail("cannot connect\u{1B}[2J")
        let lines = dashboard.lines(size, plain, interval: 2)
        #expect(lines[0].contains("; cannot connect") && !lines[0].contains("\u{1B}"), "\(lines[0])")
        #expect(lines.contains { $0.contains("12 entries") })
        dashboard.add(reading(1, requests: 1, memory: 1, miss: 0))
        #expect(dashboard.lines(size, plain, interval: 2)[0].hasSuffix("Ctrl-C ends"))
    }

    @Test func `draws the newest values of the past`() {
        let chart = DashboardChart(isUnicode: true)
        #expect(chart.spark([1, 2, 3, nil, 4], width: 10) == "▃▅▆ █")
        #expect(chart.spark([1, 2, 3, nil, 4], width: 2) == " █")
        #expect(chart.spark([0, 0], width: 9) == "▁▁" && chart.spark([], width: 9) == "")
        #expect(chart.spark([0.5], width: 3, most: 1) == "▅")
        #expect(chart.bar(0.5, width: 4) == "[██░░]" && chart.bar(7, width: 2) == "[██]")
        #expect(DashboardChart(isUnicode: false).bar(0.26, width: 4) == "[#...]")
    }
}
