import Foundation
import TestSupport
import Testing

@testable import ProxyServer

/// The OpenAPI document of the admin listener.
@Suite(.timeLimit(.minutes(1)))
struct OpenAPITests {
    private let rig: EndToEndRig

    init() throws {
        let picture = TestImages.gradient(width: 16, height: 12)
        rig = try EndToEndRig { _, connection in connection.respond("200 OK", [], body: picture) }
    }

    private func document() throws -> JSONValue {
        let answer = try rig.admin("GET", "/openapi.json")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        return try #require(JSONValue(parsing: answer.text))
    }

    /// Methods and paths.
    private func operations(_ document: JSONValue) throws -> [(method: String, path: String, value: JSONValue)] {
        guard case .object(let paths)? = document["paths"] else { throw CancellationError() }
        return paths.flatMap { path -> [(method: String, path: String, value: JSONValue)] in
            guard case .object(let methods) = path.value else { return [] }
            return methods.map { ($0.name.uppercased(), path.name, $0.value) }
        }
    }

    @Test func `names every route of the listener, and which ones belong to pages`() throws {
        let all = try operations(document())
        let named = all.map { "\($0.method) \($0.path)" }
        for route in [
            "GET /healthz", "GET /readyz", "GET /metrics", "GET /stats", "GET /explain", "GET /key", "POST /purge",
            "GET /has", "GET /entry", "PUT /original", "POST /warm", "GET /warm", "GET /warm/{id}", "DELETE /warm/{id}",
            "GET /negative", "DELETE /negative", "GET /events", "GET /inflight", "POST /sources/{name}/{action}",
            "GET /language", "GET /openapi.json",
        ] {
            let operation = try #require(all.first { "\($0.method) \($0.path)" == route }, "\(route)")
            #expect(operation.value["tags"] == nil, "\(route)")
        }
        for page in [
            "GET /", "GET /live", "GET /login", "POST /login", "POST /logout", "GET /assets/{name}",
            "POST /actions/purge",
            "GET /playground", "GET /playground/setup", "PUT /playground/pictures", "DELETE /playground/pictures/{id}",
            "GET /playground/image", "POST /playground/sign", "GET /overlay.js",
        ] {
            let operation = try #require(all.first { "\($0.method) \($0.path)" == page }, "\(page)")
            #expect(operation.value["tags"] == .array([.string("pages")]), "\(page)")
        }
        #expect(Set(named).count == named.count)
        let ids = all.compactMap { $0.value["operationId"]?.words }
        #expect(Set(ids).count == all.count, "\(ids)")
    }

    @Test func `every operation exists with its method, and every other method does not`() throws {
        let operations = try operations(document())
        let methods = Dictionary(grouping: operations, by: \.path).mapValues { Set($0.map(\.method)) }
        for (path, known) in methods {
            let target = path.replacing("{name}", with: "nowhere").replacing("{action}", with: "resume")
                .replacing("{id}", with: "77")
            let refused = try rig.admin("PATCH", target)
            #expect(refused.status == 405, "\(path)")
            let allowed = Set((refused["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
            #expect(allowed.subtracting(["HEAD", "OPTIONS"]) == known, "\(path): \(allowed)")
        }
    }

    @Test func `responses are those of the document`() throws {
        for (method, path, operation) in try operations(document()) where method == "GET" && !path.contains("{") {
            guard path != "/events" else { continue }
            let query =
                ["/explain", "/has", "/entry"].contains(path)
                ? "?path=/photos/a.png" : path == "/key" ? "?url=/photos/a.png" : ""
            let answer = try rig.admin("GET", path + query)
            // Nothing is stored.
            #expect(operation["responses.\(answer.status)"] != nil, "\(path): \(answer.status)")
            guard answer.status == 200, answer["Content-Type"] == "application/json" else { continue }
            let schema = operation["responses.200.content"].flatMap { content -> JSONValue? in
                guard case .object(let types) = content else { return nil }
                return types.first { $0.name == "application/json" }?.value["schema"]
            }
            let value = try #require(JSONValue(parsing: answer.text))
            guard case .object(let properties)? = schema?["properties"] else { continue }
            for property in properties where property.value["type"] != .array([]) {
                let found = value[property.name]
                if case .array(let required)? = schema?["required"], required.contains(.string(property.name)) {
                    #expect(found != nil, "\(path): \(property.name)")
                }
            }
        }
    }

    @Test func `the document needs the token, which it describes`() throws {
        let document = try document()
        #expect(document["openapi"] == .string("3.1.0") && document["info.version"] == .string(Version.text))
        #expect(document["components.securitySchemes.token.scheme"] == .string("bearer"))
        let open = ["/healthz", "/readyz", "/login", "/overlay.js", "/assets/console.css", "/assets/icon.svg"]
        for operation in try operations(document) {
            let isOpen = open.contains(operation.path)
            #expect((operation.value["security"] == .array([])) == isOpen, "\(operation.path)")
            // The form with the token has an answer of its own to a wrong one.
            guard operation.path != "/login" else { continue }
            #expect((operation.value["responses.401"] == nil) == isOpen, "\(operation.path)")
        }
    }

    @Test(.enabled(if: Validators.isEnabled))
    func `a validator of others finds it valid`() throws {
        let script = """
            import json, sys
            from openapi_spec_validator import validate
            validate(json.load(sys.stdin))
            print("valid")
            """
        #expect(try Validators.run(script, document()) == "valid\n")
    }
}
