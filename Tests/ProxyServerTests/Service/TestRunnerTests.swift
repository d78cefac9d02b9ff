import Foundation
import Glibc
import TestSupport
import Testing

/// `scripts/run-tests`, with another program in place of the tests.
@Suite(.timeLimit(.minutes(1)))
struct TestRunnerTests {
    @Test func `a runner that stalls is ended with everything that it has started`() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/tests"
        // A child, one in a session of its own, and one whose parent has ended.
        try """
        #!/bin/sh
        cd "$(dirname "$0")"
        sleep 100 & echo $! >child
        setsid sleep 100 & echo $! >leader
        (sleep 100 & echo $! >orphan)
        exec sleep 100

        """.write(toFile: program, atomically: false, encoding: .utf8)
        #expect(unsafe chmod(program, 0o700) == 0)
        let run = try CommandRun(
            program: Checkout.path("scripts/run-tests"),
            ["--bundle", program, "--filter", "x"],
            environment: ["EDGEPRINT_STALL": "3"]
        )
        #expect(run.code == 1 && run.errors.contains("has reported nothing for 3 s"), "\(run)")
        for name in ["child", "leader", "orphan"] {
            let text = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
            let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            // Its new parent may not have waited for it yet.
            let state = DaemonProcess.contents(of: "/proc/\(process)/stat") ?? ") Z "
            #expect(state.contains(") Z "), "\(name): \(state)")
        }
    }
}
