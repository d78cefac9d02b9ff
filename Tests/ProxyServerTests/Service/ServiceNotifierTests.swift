import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ServiceNotifierTests {
    @Test(arguments: [false, true])
    func `sends datagrams to paths and abstract names`(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(isAbstract ? "@edgeprint\(folder.path)" : folder.path + "/notify")
        let notifier = try #require(ServiceNotifier(address: manager.address))
        notifier.send(.ready)
        notifier.send(.reloading(since: 12))
        notifier.send(.stopping, .extendTimeout(microseconds: 7))
        notifier.send(.status("5 requests\nREADY=0\u{1B}[31m é"))
        #expect(manager.waiting() == "READY=1")
        #expect(manager.waiting() == "RELOADING=1\nMONOTONIC_USEC=12")
        #expect(manager.waiting() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=7")
        #expect(manager.waiting() == "STATUS=5 requestsREADY=0[31m é")
    }

    @Test(arguments: ["", "relative", "/", "@", "/" + String(repeating: "a", count: 108)])
    func `rejects invalid addresses`(address: String) { #expect(ServiceNotifier(address: address) == nil) }

    @Test func `an absent manager is not an error`() throws {
        let folder = try TemporaryFolder()
        try #require(ServiceNotifier(address: folder.path + "/none")).send(.ready)
    }

    @Test func `sends a keep-alive only when all loops have run`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let notifier = try #require(ServiceNotifier(address: manager.address))
        func reporter(_ turns: Bool, watchdog: Int64?) -> ServiceReporter {
            let probes = ServiceReporter.Probes(turn: { if turns { $0() } }, status: { "fine" })
            return ServiceReporter(notifier, probes: probes, watchdogMicroseconds: watchdog)
        }
        let live = reporter(true, watchdog: 100_000)
        live.report()
        live.report()
        #expect(manager.waiting() == "STATUS=fine")
        #expect(manager.waiting() == "WATCHDOG=1")
        #expect(manager.waiting() == "WATCHDOG=1")
        reporter(false, watchdog: 2_000).report()
        #expect(manager.waiting() == "STATUS=fine")
        #expect(manager.waiting() == nil)
        reporter(true, watchdog: .max).report()
        #expect(manager.waiting() == "STATUS=fine")
        #expect(manager.waiting() == "WATCHDOG=1")
        reporter(true, watchdog: nil).report()
        #expect(manager.waiting() == "STATUS=fine")
        #expect(manager.waiting() == nil)
    }
}
