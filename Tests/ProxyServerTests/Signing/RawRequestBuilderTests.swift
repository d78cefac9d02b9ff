import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Building requests of raw sources.
@Suite(.timeLimit(.minutes(1)))
struct RawRequestBuilderTests {
    private func target(_ request: RequestBuilder.Request, required: Bool) throws -> String {
        let yaml = """
            sources:
              files: { url: "https://files.example.com/", raw: true, methods: [PUT] }
              photos: { url: "https://photos.example.com/" }
            remote: { allow: ["*.example.com"], raw: true }
            signing: { keys: [\(String(repeating: "ab", count: 32))], required: \(required) }
            """
        return try RequestBuilder(RequestResolver(load(yaml), time: ManualTime())).target(of: request)
    }

    private func request(_ subject: String, _ parameters: [(String, String)] = []) -> RequestBuilder.Request {
        var request = RequestBuilder.Request(subject: subject)
        request.parameters = parameters.map { (name: $0.0, value: $0.1) }
        return request
    }

    @Test func `any parameter is kept, and only requests that need a signature get one`() throws {
        let parameters = [("w", "no size"), ("url", "x"), ("w", "2")]
        let plain = try target(request("files/a.tar", parameters), required: false)
        #expect(plain == "/files/a.tar?w=no%20size&url=x&w=2")
        let signed = try target(request("files/a.tar", parameters), required: true)
        #expect(signed.hasPrefix(plain + "&sig="))
        #expect(try target(request("files/a.tar", [("sig", "theirs")]), required: false) == "/files/a.tar?sig=theirs")
        #expect(throws: Problem.self) { try target(request("files/a.tar", [("sig", "theirs")]), required: true) }
    }

    @Test func `an expiry needs a signature`() throws {
        var request = request("files/a.tar")
        request.expires = 1_900_000_000
        #expect(try target(request, required: true).hasPrefix("/files/a.tar?exp=1900000000&sig="))
        let problem = #expect(throws: Problem.self) { try target(request, required: false) }
        #expect(problem?.parameter == "exp")
    }

    @Test func `each accepted method has its own signature, and other methods are refused`() throws {
        func built(_ subject: String, for method: String) throws -> String {
            var request = request(subject)
            request.method = method
            return try target(request, required: true)
        }
        let url = "https://a.example.com/x"
        #expect(try built("files/a", for: "HEAD") == built("files/a", for: "GET"))
        #expect(try Set(["GET", "PUT", "OPTIONS"].map { try built("files/a", for: $0) }).count == 3)
        #expect(try built(url, for: "OPTIONS") != built(url, for: "GET"))
        for (subject, method, status) in [
            ("files/a", "POST", 405), ("files/a", "put", 405), ("files/a", "TRACE", 405), (url, "PUT", 405),
            ("photos/a.png", "PUT", 400),
        ] {
            let problem = #expect(throws: Problem.self) { try built(subject, for: method) }
            #expect(problem?.status == UInt16(status), "\(subject) \(method)")
        }
        #expect(throws: Never.self) { try built("photos/a.png", for: "HEAD") }
    }

    @Test func `a whole URL is signed, and cannot have steps`() throws {
        let built = try target(request("https://a.example.com/x?y=z"), required: false)
        #expect(built.hasPrefix("/fetch?url=https:%2F%2Fa.example.com%2Fx%3Fy%3Dz&sig="))
        #expect(throws: Problem.self) { try target(request("https://a.example.com/x", [("w", "5")]), required: false) }
    }
}
