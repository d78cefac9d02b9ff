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
        try waitFor {
            let report = try report(job)
            return report["state"] == .string("running") ? nil : report
        }
    }

    /// Waits until a number of a job's targets have ended.
    func wait(for job: Int, toFinish count: Int) throws {
        try waitWhile(counts(report(job)).dropFirst().reduce(0, +) < count)
    }

    /// Total, done, skipped and failed.
    func counts(_ report: JSONValue) -> [Int] {
        ["total", "done", "skipped", "failed"].map { report[$0]?.int ?? -1 }
    }
}
