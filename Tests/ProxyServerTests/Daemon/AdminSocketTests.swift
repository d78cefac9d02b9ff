import Glibc
import TestSupport
import Testing

/// An admin listener with several addresses, including a Unix socket.
@Suite(.timeLimit(.minutes(1)))
struct AdminSocketTests {
    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `the socket is restricted to user and group, and needs no token`() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/admin.sock"
        let daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            listeners: """
                listen: 127.0.0.1:0
                admin: { listen: ["127.0.0.1:0", "unix:\(socket)"], token: letmeinplease }

                """
        )
        #expect(mode(socket) == 0o660)
        #expect(try RawHTTPClient(unixPath: socket).get("/stats").status == 200)
        #expect(try RawHTTPClient(port: daemon.admin).get("/stats").status == 401)
        let token = [("Authorization", "Bearer letmeinplease")]
        #expect(try RawHTTPClient(port: daemon.admin).get("/stats", token).status == 200)
        // A proxy in front that other sites' pages can reach must send the token.
        let foreign = [("Sec-Fetch-Site", "cross-site")]
        #expect(try RawHTTPClient(unixPath: socket).get("/stats", foreign).status == 403)
        #expect(try RawHTTPClient(unixPath: socket).get("/stats", foreign + token).status == 200)
    }

    @Test func `commands find the socket by themselves`() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/admin.sock"
        let daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            listeners: "listen: 127.0.0.1:0\nadmin: { listen: [\"127.0.0.1:0\", \"unix:\(socket)\"] }\n"
        )
        for arguments in [["stats"], ["purge", "--all", "--dry"]] {
            let run = try CommandRun(arguments + ["--config", daemon.configurationFile])
            #expect(run.code == 0, "\(arguments): \(run.errors)")
        }
        // The client tries the next address if the first is unused or not the daemon's.
        try daemon.rewrite(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            listeners: """
                listen: 127.0.0.1:0
                admin: { listen: ["unix:\(folder.path)/none.sock", "127.0.0.1:\(daemon.admin)"] }

                """
        )
        #expect(try CommandRun(["stats", "--config", daemon.configurationFile]).code == 0)
    }

    @Test(arguments: ["proxies: { trust: [unix] }", "purge: { allow: [unix] }", "proxies: { trust: [10.0.0.1] }"])
    func `a trusted public socket is restricted to user and group`(trust: String) throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/public.sock"
        let daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n\(trust)\n",
            in: folder,
            listeners: "listen: [127.0.0.1:0, \"unix:\(socket)\"]\nadmin: { listen: \"127.0.0.1:0\" }\n"
        )
        #expect(mode(socket) == (trust.contains("unix") ? 0o660 : 0o666))
        #expect(try RawHTTPClient(unixPath: socket).get("/robots.txt").status == 200)
        withExtendedLifetime(daemon) {}
    }
}
