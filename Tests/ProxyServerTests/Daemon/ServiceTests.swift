import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceTests {
    private func daemon(_ folder: TemporaryFolder, _ manager: NotifySocket, _ environment: [String: String] = [:])
        throws -> DaemonProcess
    {
        try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            environment: environment.merging(["NOTIFY_SOCKET": manager.address]) { $1 }
        )
    }

    @Test func `notifies the manager when it is ready, reloads and stops`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let daemon = try daemon(folder, manager)
        #expect(manager.nextState() == "READY=1")
        daemon.signal(SIGHUP)
        let reloading = try #require(manager.nextState())
        #expect(
            reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC=")
                && Int64(reloading.split(separator: "=").last ?? "") != nil
        )
        #expect(manager.nextState() == "READY=1")
        // A rejected configuration ends the reload, too.
        try daemon.rewrite("nonsense: 1\n")
        daemon.signal(SIGHUP)
        #expect(manager.nextState()?.hasPrefix("RELOADING=1") == true)
        #expect(manager.nextState() == "READY=1")
        daemon.signal(SIGTERM)
        #expect(manager.nextState() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=25000000")
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `sends watchdog keep-alives and a status line`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let daemon = try daemon(folder, manager, ["WATCHDOG_USEC": "100000"])
        #expect(manager.nextState() == "READY=1")
        for _ in 0..<3 { #expect(manager.nextState() == "WATCHDOG=1") }
        _ = try RawHTTPClient(port: daemon.port).get("/")
        var line = manager.next()
        while let text = line, !text.hasPrefix("STATUS=1 requests") { line = manager.next() }
        #expect(line?.hasPrefix("STATUS=1 requests, 0 % from memory, ") == true)
    }

    @Test func `a stopped process sends no keep-alives`() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path + "/notify")
        let daemon = try daemon(folder, manager, ["WATCHDOG_USEC": "50000"])
        try waitWhile(manager.nextState() != "WATCHDOG=1")
        daemon.signal(SIGSTOP)
        while manager.waiting() != nil {}
        #expect(manager.waiting() == nil)
        daemon.signal(SIGCONT)
        #expect(manager.nextState() == "WATCHDOG=1")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-socket-activate")))
    func `serves on passed sockets in addition to its own`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/e.sock"
        let file = folder.path + "/edgeprint.yaml"
        try "listen: 127.0.0.1:0\nadmin: { listen: off }\ncache: { path: \"\(folder.path)/cache\" }\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-socket-activate")
        process.arguments =
            ["-l", path, "--fdname=public", DaemonProcess.buildFolder + "/edgeprint", "serve", "--config", file]
        process.environment = ["PATH": "/usr/bin:/bin"]
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        // It opens the socket, and starts the daemon for the first connection.
        let client = try waitFor { try? RawHTTPClient(unixPath: path, timeoutMilliseconds: 20_000) }
        #expect(try client.get("/").status == 200)
        var text = ""
        while !text.contains("\"ready\"") {
            text += String(decoding: log.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(text.contains("\"address\":\"unix:\(path)\""), "\(text)")
        #expect(text.contains("\"address\":\"127.0.0.1:"), "\(text)")
        for _ in 0..<20 { #expect(try RawHTTPClient(unixPath: path).get("/").status == 200) }
    }
}
