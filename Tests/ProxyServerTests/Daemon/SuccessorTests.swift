import Foundation
import Glibc
import HTTPKit
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import ProxyServer

/// The replacement of the process without the loss of a request (`SIGUSR2`).
@Suite(.timeLimit(.minutes(2)))
struct SuccessorTests {
    private let picture = TestImages.gradient(width: 64, height: 48)
    /// 400 until the preset exists.
    private static let probe = "/photos/a.png?preset=after&format=png"

    /// Clients that open a connection for each request, until they are stopped.
    private final class Clients: Sendable {
        struct Tally: Sendable {
            /// Answers by status.
            var answers: [Int: Int] = [:]
            var failures: [String] = []
        }

        let tally = Signal(Tally())
        private let isOver = Atomic(false)
        private let running: Signal<Int>

        init(_ connects: [@Sendable () throws -> RawHTTPClient]) throws {
            running = Signal(connects.count)
            for connect in connects {
                try SystemThread.start(name: "clients") { [self] in
                    while !isOver.load(ordering: .relaxed) {
                        do {
                            let status = try connect().get(SuccessorTests.probe).status
                            tally.update { $0.answers[status, default: 0] += 1 }
                        } catch {
                            tally.update { $0.failures.append("\(error)") }
                        }
                    }
                    running.update { $0 -= 1 }
                }
            }
        }

        func end() throws -> Tally {
            isOver.store(true, ordering: .relaxed)
            _ = try running.wait { $0 == 0 }
            return tally.value
        }
    }

    /// Ends a successor, which is not a child of this process.
    struct Running: ~Copyable {
        let process: pid_t

        init(process: pid_t) { self.process = process }

        init(_ log: String) throws {
            let line = try #require(log.split(separator: "\n").last { $0.contains("started a successor") })
            let start = try #require(line.firstRange(of: "\"process\":\"")?.upperBound)
            process = try #require(pid_t(line[start...].prefix { $0.isNumber }))
        }

        /// Whether the process has ended; whoever has adopted it may not have reaped it yet.
        var hasEnded: Bool {
            guard let text = DaemonProcess.contents(of: "/proc/\(process)/stat") else { return true }
            return text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first == "Z"
        }

        deinit { kill(process, SIGKILL) }
    }

    @Test func `clients that connect all the time see no error, and the new process answers while the old one drains`()
        async throws
    {
        let gate = try ScriptedGate()
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { [picture] request, connection in
            if request.target.hasPrefix("/slow") { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture)
        }
        let path = folder.path + "/public.sock"
        let listeners = "listen: [\"127.0.0.1:0\", \"unix:\(path)\"]\nadmin: { listen: \"127.0.0.1:0\" }\n"
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache", memory: 64MiB }
            log: { access: off }

            """
        let daemon = try DaemonProcess(yaml, in: folder, listeners: listeners)
        let (port, admin) = (daemon.port, daemon.admin)
        #expect(try RawHTTPClient(port: port, timeoutMilliseconds: 20_000).get("/photos/a.png?w=9").status == 200)
        let held = try RawHTTPClient(port: port, timeoutMilliseconds: 60_000)
        try held.send("GET /photos/slow.png?w=20&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
        await origin.arrival(of: 2)
        let clients = try Clients([
            { try RawHTTPClient(port: port, timeoutMilliseconds: 20_000) },
            { try RawHTTPClient(unixPath: path, timeoutMilliseconds: 20_000) },
        ])
        try clients.tally.wait { $0.answers[400, default: 0] >= 50 }
        try daemon.rewrite(yaml + "presets: { after: \"w=7\" }\n", listeners: listeners)
        daemon.signal(SIGUSR2)
        try daemon.waitForLog("started a successor")
        let successor = try Running(daemon.logText)
        try daemon.waitForLog("draining")
        // The gate is closed, so that the old process cannot end.
        try clients.tally.wait { $0.answers[200, default: 0] >= 200 || !$0.failures.isEmpty }
        #expect(PictureHeader.size(ofPNG: try RawHTTPClient(unixPath: path).get(Self.probe).body)?[0] == 7)
        #expect(try RawHTTPClient(port: admin).get("/healthz").status == 200)
        gate.open()
        let last = try held.readResponse()
        #expect(last.status == 200 && last["Connection"] == "close")
        #expect(daemon.waitForExit() == 0)
        let before = clients.tally.value.answers[200, default: 0]
        try clients.tally.wait { $0.answers[200, default: 0] >= before + 50 || !$0.failures.isEmpty }
        let tally = try clients.end()
        #expect(tally.failures == [] && Set(tally.answers.keys) == [200, 400], "\(tally)")
        // It has the cache of its predecessor, which has released the folder.
        try daemon.waitForLog("the disk cache is open")
        try daemon.waitForLog("the predecessor has ended")
        kill(successor.process, SIGTERM)
        try waitWhile(!successor.hasEnded)
        #expect(unsafe access(path, F_OK) != 0)
    }

    @Test func `a successor that cannot start leaves the old process as it is`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        try rig.daemon.rewrite("nonsense: 1\n")
        rig.daemon.signal(SIGUSR2)
        try rig.daemon.waitForLog("has ended before it served")
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        // A stray signal means nothing.
        rig.daemon.signal(SIGUSR1)
        try rig.rewrite("")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        rig.daemon.signal(SIGTERM)
        #expect(rig.daemon.waitForExit() == 0)
    }

    @Test func `a successor whose predecessor has ended does not start`() throws {
        let folder = try TemporaryFolder()
        do {
            _ = try DaemonProcess("cache: { path: off }\n", in: folder, environment: ["LISTEN_PREDECESSOR": "1"])
            Issue.record("it has started")
        } catch DaemonProcess.Failure.notStarted(_, let log) {
            #expect(log.contains("the predecessor ended while this process started"), "\(log)")
        }
    }

    @Test func `a successor that can start no worker leaves the old process as it is`() throws {
        let folder = try TemporaryFolder()
        let (binary, worker) = (folder.path + "/edgeprint", folder.path + "/edgeprint-worker")
        try FileManager.default.copyItem(atPath: DaemonProcess.buildFolder + "/edgeprint", toPath: binary)
        let built = DaemonProcess.buildFolder + "/edgeprint-worker"
        try FileManager.default.createSymbolicLink(atPath: worker, withDestinationPath: built)
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache" }

            """
        let daemon = try DaemonProcess(yaml, in: folder, binary: binary)
        try daemon.waitUntilReady()
        try FileManager.default.removeItem(atPath: worker)
        daemon.signal(SIGUSR2)
        try daemon.waitForLog("has ended before it served")
        #expect(daemon.logText.contains("no worker can be started"))
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        #expect(try client.get("/photos/a.png?w=8&format=png").status == 200)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForExit() == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "root is required"))
    func `process 1 of a container starts no successor, since the container would end`() throws {
        let folder = try TemporaryFolder()
        let wrapper = folder.path + "/container"
        let script = "#!/bin/sh\nexec unshare --pid --fork --kill-child \(DaemonProcess.buildFolder)/edgeprint \"$@\"\n"
        try script.write(toFile: wrapper, atomically: true, encoding: .utf8)
        unsafe chmod(wrapper, 0o755)
        let daemon = try DaemonProcess("cache: { path: \"\(folder.path)/cache\" }\n", in: folder, binary: wrapper)
        let children = "/proc/\(daemon.identifier)/task/\(daemon.identifier)/children"
        let text = try #require(DaemonProcess.contents(of: children))
        let first = try #require(pid_t(text.prefix { $0.isNumber }))
        kill(first, SIGUSR2)
        try daemon.waitForLog("process 1 of a container cannot have a successor")
        #expect(try RawHTTPClient(port: daemon.port).get("/").status == 200)
        kill(first, SIGTERM)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `five replacements in a row under load fail no request`() throws {
        let rig = try EndToEndRig("log: { access: off }\n", script: ScriptedOrigin.pictures(["a.png": picture]))
        let targets = (1...40).map { "/photos/a.png?w=\($0)&format=png" }
        let load = try SteadyLoad(port: rig.daemon.port, clients: 4, targets: targets)
        load.waitForAnswers(100)
        var current = Running(process: rig.daemon.identifier)
        for round in 1...5 {
            // The first one is waited for by its owner.
            kill(current.process, SIGUSR2)
            try rig.daemon.waitForLog("started a successor", times: round)
            let next = try Running(rig.daemon.logText)
            if round == 1 { #expect(rig.daemon.waitForExit() == 0) }
            try rig.daemon.waitForLog("the predecessor has ended", times: round)
            current = next
            load.waitForAnswers(100 + round * 200)
        }
        let tally = try load.end()
        #expect(tally.failed.isEmpty && tally.refused == 0, "\(tally)")
        // The disk cache passed from process to process.
        try rig.daemon.waitForLog("the disk cache is open", times: 5)
        #expect(!rig.daemon.logText.contains("\"level\":\"warning\""))
        let requests = rig.origin.requests
        for target in targets { #expect(try rig.get(target).status == 200) }
        #expect(rig.origin.requests == requests)
        kill(current.process, SIGTERM)
        try waitWhile(!current.hasEnded)
    }

    @Test func `a successor succeeds, too, and the service manager learns of each`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            environment: ["NOTIFY_SOCKET": manager.address]
        )
        #expect(manager.nextState() == "READY=1")
        daemon.signal(SIGUSR2)
        let first = manager.nextState()
        try daemon.waitForLog("started a successor")
        let child = try Running(daemon.logText)
        #expect(first == "MAINPID=\(child.process)")
        #expect(daemon.waitForExit() == 0)
        kill(child.process, SIGUSR2)
        let second = manager.nextState()
        try daemon.waitForLog("started a successor", times: 2)
        let grandchild = try Running(daemon.logText)
        #expect(second == "MAINPID=\(grandchild.process)" && grandchild.process != child.process)
        try waitWhile(!child.hasEnded)
        #expect(try RawHTTPClient(port: daemon.port).get("/").status == 200)
        kill(grandchild.process, SIGTERM)
        #expect(manager.nextState()?.hasPrefix("STOPPING=1") == true)
        try waitWhile(!grandchild.hasEnded)
    }

    @Test
    func `the service manager learns which sockets a successor has opened and closed, once it is the main process`()
        throws
    {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let yaml = "cache: { path: \"\(folder.path)/cache\" }\n"
        let (old, new) = (folder.path + "/old.sock", folder.path + "/new.sock")
        func listeners(_ path: String) -> String {
            "listen: [\"127.0.0.1:0\", \"unix:\(path)\"]\nadmin: { listen: \"127.0.0.1:0\" }\n"
        }
        let variables = ["NOTIFY_SOCKET": manager.address, "FDSTORE": "64"]
        let daemon = try DaemonProcess(yaml, in: folder, listeners: listeners(old), environment: variables)
        while let (text, descriptors) = manager.nextWithSockets(), text != "READY=1" {
            for descriptor in descriptors { close(descriptor) }
        }
        try daemon.rewrite(yaml, listeners: listeners(new))
        daemon.signal(SIGUSR2)
        let removal = "FDSTOREREMOVE=1\nFDNAME=" + SocketName(.public, .unix(path: old)).text
        let addition = "FDSTORE=1\nFDNAME=" + SocketName(.public, .unix(path: new)).text
        var texts: [String] = []
        while texts.last != addition, let (text, descriptors) = manager.nextWithSockets() {
            for descriptor in descriptors { close(descriptor) }
            if !text.hasPrefix("STATUS=") { texts.append(text) }
        }
        let successor = try Running(daemon.logText)
        #expect(texts.first == "MAINPID=\(successor.process)" && texts.dropFirst().first == removal, "\(texts)")
        #expect(texts.last == addition, "\(texts)")
        // Nothing listens at the old path any more.
        #expect(unsafe access(old, F_OK) != 0)
        #expect(try RawHTTPClient(unixPath: new).get("/").status == 200)
        kill(successor.process, SIGTERM)
        try waitWhile(!successor.hasEnded)
    }

    @Test func `a service manager keeps the sockets of a process that it restarts`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let yaml = "cache: { path: \"\(folder.path)/cache\" }\n"
        let variables = ["NOTIFY_SOCKET": manager.address, "FDSTORE": "64"]
        let first = try DaemonProcess(yaml, in: folder, environment: variables)
        var kept: [(name: String, descriptor: CInt)] = []
        while let (text, descriptors) = manager.nextWithSockets(), text != "READY=1" {
            let prefix = "FDSTORE=1\nFDNAME="
            if text.hasPrefix(prefix) { kept += descriptors.map { (String(text.dropFirst(prefix.count)), $0) } }
        }
        #expect(Set(kept.map { $0.name.split(separator: "-")[1] }) == ["public", "admin"])
        // Else a redirection of the shell would replace a socket.
        try #require(kept.allSatisfy { $0.descriptor > 2 + kept.count })
        first.signal(SIGTERM)
        #expect(first.waitForExit() == 0)
        // Nothing accepts, and the connection waits.
        let client = try RawHTTPClient(port: first.port, timeoutMilliseconds: 20_000)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let redirections = kept.enumerated().map { "\(3 + $0)<&\($1.descriptor)" }.joined(separator: " ")
        let script = """
            #!/bin/bash
            export LISTEN_PID=$$ LISTEN_FDS=\(kept.count) LISTEN_FDNAMES=\(kept.map(\.name).joined(separator: ":"))
            exec \(redirections)
            exec \(DaemonProcess.buildFolder)/edgeprint "$@"

            """
        let wrapper = folder.path + "/start"
        try script.write(toFile: wrapper, atomically: true, encoding: .utf8)
        unsafe chmod(wrapper, 0o755)
        let second = try DaemonProcess(yaml, in: folder, environment: variables, binary: wrapper)
        #expect(second.port == first.port && second.admin == first.admin)
        #expect(try client.readResponse().status == 200)
        for entry in kept { close(entry.descriptor) }
    }
}
