import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ServiceEnvironmentTests {
    @Test func `reads variables addressed to the process`() {
        let found = ServiceEnvironment(
            [
                "NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "3000", "WATCHDOG_PID": "7", "LISTEN_PID": "7",
                "LISTEN_FDS": "3",
                "LISTEN_FDNAMES": "public:admin",
            ],
            process: 7
        )
        #expect(found.notifySocket == "/run/n" && found.watchdogMicroseconds == 3000)
        #expect(found.sockets.map(\.number) == [3, 4, 5])
        #expect(found.sockets.map(\.name) == ["public", "admin", ""])
    }

    @Test func `reads what a predecessor passes, and nothing of another process's`() {
        let names = (0..<100).map { "n\($0)" }
        let variables = [
            "LISTEN_PREDECESSOR": "6", "LISTEN_FDS": "100", "LISTEN_FDNAMES": names.joined(separator: ":"),
        ]
        let found = ServiceEnvironment(variables, process: 7, parent: 6)
        #expect(found.predecessor == 6 && found.sockets.map(\.name) == names)
        let strange = ServiceEnvironment(variables, process: 7, parent: 5)
        #expect(strange.predecessor == nil && strange.sockets.isEmpty)
    }

    @Test(arguments: [
        ["LISTEN_PID": "8", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "7", "LISTEN_FDS": "x"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "0"], ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "65"],
        ["WATCHDOG_USEC": "9", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"], [:],
    ])
    func `ignores variables of other processes, and invalid ones`(environment: [String: String]) {
        let found = ServiceEnvironment(environment, process: 7)
        #expect(found.sockets.isEmpty && found.watchdogMicroseconds == nil)
    }
}
