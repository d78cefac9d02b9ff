import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// A warm job whose daemon is killed in the middle.
@Suite(.timeLimit(.minutes(2)))
struct WarmCrashTests {
    @Test func `a job of 1000 URLs that is killed with -9 in the middle ends with the right counts`() throws {
        let pictures = (0..<1000).map { number in
            TestImages.png(
                width: 4,
                height: 1,
                rgba: (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 8) + $0) }
            )
        }
        let rig = try EndToEndRig("warm: { active: 8 }", source: ", connections: 20") { request, connection in
            let number = Int(request.target.dropFirst(2).prefix { $0.isNumber }) ?? 0
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: pictures[number])
        }
        let job = try rig.warm(WarmOrder(urls: (0..<1000).map { "/photos/p\($0).png" }))
        try rig.wait(for: job, toFinish: 200)
        for _ in 0..<2 {
            try rig.restartAfterKill("warm: { active: 8 }", source: ", connections: 20")
            let found = rig.counts(try rig.report(job))
            #expect(found[0] == 1000 && found[1] >= 200 && found[1] < 1000, "\(found)")
            try rig.wait(for: job, toFinish: found[1] + 100)
        }
        let report = try rig.end(job)
        #expect(report["state"] == .string("done"))
        #expect(rig.counts(report) == [1000, 1000, 0, 0])
        // Only what was in progress at a kill is fetched again.
        #expect(rig.origin.requests <= 1000 + 2 * 8)
        let requests = rig.origin.requests
        for number in stride(from: 0, to: 1000, by: 37) {
            let response = try rig.get("/photos/p\(number).png")
            #expect(response.body == pictures[number] && response["Cache-Status"]?.contains("hit") == true)
        }
        #expect(rig.origin.requests == requests)
        #expect(rig.counts(try rig.end(try rig.warm(WarmOrder(urls: ["/photos/p1.png"])))) == [1, 0, 1, 0])
    }
}
