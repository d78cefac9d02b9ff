import OriginTransfer
import TestSupport
import Testing
import LinuxSystem

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct TransferCredentialTests {
    private let engine: TransferEngine

    init() throws {
        engine = try TransferEngine()
    }

    private func source(_ credentials: SourceCredentials, at origin: ScriptedOrigin) -> SourceRule {
        var rule = SourceRule.local()
        rule.location = .http(prefix: origin.url + "/")
        if case .accessKey = credentials {
            rule.location = .bucket(ObjectBucket(name: "pics", prefix: "", endpoint: origin.url))
        }
        rule.credentials = credentials
        return rule
    }

    private static let all: [SourceCredentials] = [
        .basic(user: "edge", password: Secret("pass:wörd")), .bearer(Secret("tok.en")),
        .accessKey(id: "AKID", secret: Secret("s"), session: Secret("session")),
    ]

    @Test(arguments: [
        (all[0], "Basic ZWRnZTpwYXNzOnfDtnJk"), (all[1], "Bearer tok.en"),
        (all[2], "AWS4-HMAC-SHA256 Credential=AKID/"),
    ])
    func `are sent to the source's origin`(credentials: SourceCredentials, expected: String) async throws {
        let origin = try ScriptedOrigin { $1.respond(text: $0.field("Authorization") ?? "") }
        let bytes = try await engine.fetched(.local(origin, "/a", source(credentials, at: origin))).bytes
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(expected))
        #expect(origin.heads.allSatisfy { !$0.contains("wörd") })
    }

    @Test(arguments: all)
    func `are not sent after a redirect leaves the origin`(_ credentials: SourceCredentials)
        async throws
    {
        let end = try ScriptedOrigin { $1.respond(text: "end") }
        let second = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", ["Location: \(end.url)/x"])
        }
        let first = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", ["Location: \(second.url)/x"])
        }
        let fetch = OriginFetch(first.url + "/a", source(credentials, at: first))
        _ = try await engine.fetched(fetch)
        #expect(ScriptedRequest.field("Authorization", in: try #require(first.heads.first)) != nil)
        for head in second.heads + end.heads {
            #expect(ScriptedRequest.field("Authorization", in: head) == nil)
            #expect(!head.lowercased().contains("x-amz-"))
        }
        #expect(second.requests == 1 && end.requests == 1)
    }

    @Test func `are signed again for another path of the same origin`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.target == "/pics/a" else { return connection.respond(text: "end") }
            connection.respond("307 Temporary Redirect", ["Location: /pics/b%20c"])
        }
        _ = try await engine.fetched(.local(origin, "/pics/a", source(Self.all[2], at: origin)))
        let values = origin.heads.compactMap { ScriptedRequest.field("Authorization", in: $0) }
        #expect(values.count == 2 && Set(values).count == 2)
        #expect(values.allSatisfy { $0.contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token") })
    }

    @Test func `sign the source's own X-Amz fields and its host`() async throws {
        let origin = try ScriptedOrigin { $1.respond(text: "end") }
        var rule = source(Self.all[2], at: origin)
        rule.headers = [
            HeaderField(name: "X-Amz-Request-Payer", value: "requester"),
            HeaderField(name: "X-Other", value: "1"),
        ]
        _ = try await engine.fetched(.local(origin, "/pics/a", rule))
        let value = try #require(origin.heads.first.flatMap { ScriptedRequest.field("Authorization", in: $0) })
        #expect(
            value.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-request-payer;x-amz-security-token,"
            )
        )
    }

    @Test func `do not appear in descriptions`() {
        for credentials in Self.all {
            var dumped = "\(credentials)"
            dump(credentials, to: &dumped)
            for secret in ["wörd", "tok.en", "session\""] { #expect(!dumped.contains(secret)) }
        }
    }
}
