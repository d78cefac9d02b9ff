import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Requests to the admin listener about warm jobs.
extension EndToEndRig {
    /// Starts a job and returns its number.
    func warm(_ order: WarmOrder) throws -> Int {
        let response = try post("/warm", order.json.text)
        let id = try #require(JSONValue(parsing: response.text)?["id"]?.int, "\(response.text)")
        #expect(response.status == 202 && response["Location"] == "/warm/\(id)")
        return id
    }

    /// The report of a job.
    func report(_ job: Int) throws -> JSONValue {
        try #require(JSONValue(parsing: try admin("GET", "/warm/\(job)").text))
    }

    /// Waits until a job has ended, and returns its report.
    func end(_ job: Int) throws -> JSONValue {
        while true {
            let report = try report(job)
            if report["state"] != .string("running") { return report }
            try waitABit()
        }
    }

    /// Waits until a number of a job's targets have ended.
    func wait(for job: Int, toFinish count: Int) throws {
        while counts(try report(job)).dropFirst().reduce(0, +) < count { try waitABit() }
    }

    /// One request, so that waiting does not spin.
    private func waitABit() throws { _ = try admin("GET", "/healthz") }

    /// Total, done, skipped and failed.
    func counts(_ report: JSONValue) -> [Int] {
        ["total", "done", "skipped", "failed"].map { report[$0]?.int ?? -1 }
    }
}
