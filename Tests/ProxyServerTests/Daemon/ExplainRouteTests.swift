import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ExplainRouteTests {
    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: ", forward-query: [v]", script: ScriptedOrigin.pictures([:]))
    }

    private func ask(_ rig: EndToEndRig, _ query: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: rig.daemon.admin).get("/explain\(query)", fields)
    }

    @Test func `responds with the output of the command, without contacting the origin`() throws {
        let rig = try rig()
        let file = rig.daemon.configurationFile
        for (path, encoded) in [
            ("/photos/a.jpg?w=40&v=1", "%2Fphotos%2Fa.jpg%3Fw%3D40%26v%3D1"),
            ("/photos/a.jpg?w=0", "/photos/a.jpg?w=0"),
            ("/nobody/a%20b", "/nobody/a%2520b"),
        ] {
            let command = try CommandRun(
                ["explain", path, "--config", file, "--json", "--accept", "image/webp"],
                environment: EndToEndRig.environment
            )
            let answer = try ask(rig, "?path=\(encoded)&accept=image%2Fwebp")
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "application/json" && answer["Cache-Control"] == "no-store")
            let printed = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? NSDictionary
            #expect(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? NSDictionary == printed)
        }
        let text = try CommandRun(
            ["explain", "/photos/a.jpg?w=40", "--config", file],
            environment: EndToEndRig.environment
        )
        let answer = try ask(rig, "?format=text&path=/photos/a.jpg?w=40")
        #expect(answer.text == text.output)
        #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
        let all = try CommandRun(
            ["explain", "/photos/a.jpg?w=40", "--all", "--config", file],
            environment: EndToEndRig.environment
        )
        #expect(try ask(rig, "?format=text&all=1&path=/photos/a.jpg?w=40").text == all.output)
        #expect(rig.origin.connections == 0)
    }

    @Test(arguments: [
        ("", "path"), ("?accept=a", "path"), ("?path=/photos/a.jpg?w=1&h=2", "h"), ("?path=/a&path=/b", "path"),
        ("?path=/a&format=xml", "format"), ("?path=/a&all=yes", "all"), ("?path=%zz", "path"),
    ])
    func `an invalid query is a 400 that names the parameter`(_ query: String, _ parameter: String) throws {
        let answer = try ask(rig(), query)
        #expect(answer.status == 400)
        #expect(answer.text.contains("\"parameter\":\"\(parameter)\""), "\(answer.text)")
    }

    @Test func `requires the token`() throws {
        let rig = try rig()
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: abc }\n"
        try rig.daemon.rewrite(rig.yaml(), listeners: listeners)
        rig.daemon.signal(SIGHUP)
        try waitWhile(ask(rig, "?path=/").status != 401)
        #expect(try ask(rig, "?path=/", [("Authorization", "Bearer abc")]).status == 200)
    }

    @Test func `uses the current configuration`() throws {
        let rig = try rig()
        func pixels() throws -> String {
            let text = try ask(rig, "?format=text&all=1&path=/photos/a.jpg?w=1").text
            return text.split(separator: "\n").first { $0.contains("  pixels ") }.map(String.init) ?? ""
        }
        #expect(try pixels().contains("50MP") && pixels().contains("default of limits.pixels"))
        try rig.daemon.rewrite(rig.yaml("limits: { pixels: 7MP }"))
        rig.daemon.signal(SIGHUP)
        try rig.waitUntil("edgeprint_configuration_reloads_total", is: 1)
        #expect(try pixels().contains("7MP") && pixels().contains("edgeprint.yaml:"))
    }
}
