import HTTPKit
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct AdminClientTests {
    private func client(
        _ addresses: [String],
        token: String = "",
        timeout: Int = 20_000
    ) throws -> AdminClient {
        var configuration = Configuration()
        configuration.admin.listen = try addresses.map { try #require(ListenAddress($0)) }
        configuration.admin.token = Secret(token)
        return try AdminClient(configuration, timeout: timeout)
    }

    private func failure(_ client: AdminClient, _ method: String = "GET") throws -> String {
        try #require(
            #expect(throws: AdminClient.Failure.self) { try client.send(method, "/x", body: "{}") }
        ).description
    }

    @Test func `sends method, token and content, and returns the content of the response`() throws {
        let heads = Signal<[String]>([])
        let origin = try ScriptedOrigin { request, connection in
            heads.update { $0.append(request.head) }
            connection.respond("200 OK", text: "an answer\n")
        }
        let client = try client(["127.0.0.1:\(origin.port)"], token: "letmein")
        #expect(try client.send("GET", "/stats?a=../b") == "an answer\n")
        #expect(try client.send("POST", "/purge", body: #"{"all":true}"#) == "an answer\n")
        #expect(try client.send("DELETE", "/negative") == "an answer\n")
        let lines = heads.value.map { $0.split(separator: "\r\n").map(String.init) }
        #expect(
            lines.compactMap(\.first) == [
                "GET /stats?a=../b HTTP/1.1", "POST /purge HTTP/1.1", "DELETE /negative HTTP/1.1",
            ]
        )
        for head in lines {
            #expect(head.contains("Host: localhost") && head.contains("Authorization: Bearer letmein"))
            #expect(!head.contains { $0.lowercased().hasPrefix("expect") })
        }
        #expect(lines[1].contains("Content-Length: 12"))
    }

    @Test func `ignores proxies in the environment, which would receive the token`() throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond("200 OK", text: "{\"version\":\"1\"}") }
        let run = try CommandRun(
            ["stats", "--json", "--admin", "127.0.0.1:\(origin.port)"],
            environment: ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"]
        )
        #expect(run.code == 0 && run.output == "{\"version\":\"1\"}", "\(run)")
    }

    @Test func `uses the first reachable address, Unix sockets first`() throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond("200 OK", text: "here") }
        let folder = try TemporaryFolder()
        let reached = try client(["127.0.0.1:\(origin.port)", "127.0.0.1:1", "unix:\(folder.path)/none.sock"])
        #expect(try reached.send("GET", "/") == "here")
        let text = try failure(client(["127.0.0.1:1", "unix:\(folder.path)/none.sock"]))
        #expect(text.hasPrefix("cannot connect to unix:\(folder.path)/none.sock (connect: No such file"), "\(text)")
    }

    @Test func `a failure names the address and a remedy`() throws {
        let mute = try ScriptedOrigin { _, connection in connection.waitForPeer() }
        let silent = "127.0.0.1:\(mute.port)"
        #expect(
            try failure(client([silent], timeout: 50))
                == "\(silent) did not respond within 50 ms; check the daemon's log and the machine's load"
        )
        let cut = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            connection.close()
        }
        #expect(
            try failure(client(["127.0.0.1:\(cut.port)"])).hasPrefix(
                "127.0.0.1:\(cut.port) closed the connection before"
            )
        )
        let other = try ScriptedOrigin { _, connection in
            connection.send("220 mail.example.com ESMTP\r\n")
            connection.close()
        }
        #expect(try failure(client(["127.0.0.1:\(other.port)"])).contains("is not the admin listener of Edgeprint"))
        #expect(try failure(client(["admin.example.com:8081"])).hasPrefix("admin.example.com:8081 is a host name"))
    }

    @Test func `an error response is reported with the daemon's detail`() throws {
        let origin = try ScriptedOrigin { request, connection in
            if request.head.hasPrefix("POST") {
                connection.respond(
                    "404 Not Found",
                    text: "{\"title\":\"Not Found\",\"detail\":\"no such \\\"source\\\"\"}"
                )
            } else {
                connection.respond("401 Unauthorized", text: "{}")
            }
        }
        let client = try client(["127.0.0.1:\(origin.port)"])
        #expect(try failure(client, "POST") == "no such \"source\" (404)")
        #expect(try failure(client) == "the admin token is missing or wrong (admin.token, EDGEPRINT_ADMIN_TOKEN)")
    }

    @Test(arguments: ["/x y", "/x\r\nX: y", "/x\u{7F}"])
    func `sends no target that would end the request line`(target: String) throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond("200 OK", text: "an answer") }
        let client = try client(["127.0.0.1:\(origin.port)"])
        let failure = #expect(throws: AdminClient.Failure.self) { try client.send("GET", target) }
        #expect(failure?.description.contains("must be percent-encoded") == true, "\(String(describing: failure))")
        #expect(origin.requests == 0)
    }
}
