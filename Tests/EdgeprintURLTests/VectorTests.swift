import EdgeprintURL
import Foundation
import Testing

/// The vectors of all clients: addresses, refusals, signatures and scopes.
@Suite(.timeLimit(.minutes(1)))
struct VectorTests {
    @Test func `addresses are those of the vectors`() throws {
        let cases = try Vectors.read("urls", as: Vectors.Cases.self).cases
        #expect(cases.count >= 50)
        for vector in cases {
            let url = try vector.server(isSigned: false).url(
                for: vector.location,
                vector.transform,
                expires: vector.exp
            )
            #expect(url == vector.url ?? vector.target, "\(vector.name)")
        }
    }

    @Test func `texts and images of watermarks are encoded as in the vectors`() throws {
        let cases = try Vectors.read("watermarks", as: Vectors.Cases.self).cases
        #expect(cases.count >= 8)
        let server = try ImageServer("")
        for vector in cases {
            let mark = vector.text.map { Watermark.text($0) } ?? .image("\(vector.source ?? "")/\(vector.path ?? "")")
            let url = try server.url(for: .path("photos/cat.jpg"), ImageTransform().watermark(mark))
            #expect(url == vector.target, "\(vector.name)")
        }
    }

    @Test func `what is no request is refused, and the parameter is named`() throws {
        let cases = try Vectors.read("refusals", as: Vectors.Cases.self).cases
        #expect(cases.count >= 30)
        var refused = 0
        for vector in cases {
            do {
                _ = try vector.server(isSigned: false).url(for: vector.location, vector.transform)
                #expect(vector.by == "server", "\(vector.name)")
            } catch let error as ImageURLError {
                refused += 1
                #expect(error.parameter == vector.parameter, "\(vector.name): \(error)")
            }
        }
        // The others depend on the configuration: a name of a preset or a source, or a user in a URL.
        #expect(refused >= cases.count - 4)
    }

    @Test func `signatures are those of the vectors`() throws {
        let vectors = try Vectors.read("signatures", as: Vectors.Signatures.self)
        #expect(vectors.cases.count >= 10 && !vectors.keys.isEmpty)
        for vector in vectors.cases + vectors.keys {
            let url = try vector.server(isSigned: true).url(for: vector.location, vector.transform, expires: vector.exp)
            guard case .text(let signed) = vector.signed else {
                Issue.record("\(vector.name)")
                continue
            }
            #expect(url == vector.url ?? signed, "\(vector.name)")
        }
    }

    @Test func `signatures for sites with a prefix are those of the vectors`() throws {
        let vectors = try Vectors.read("signatures", as: Vectors.Signatures.self).sites
        #expect(vectors.count > 3)
        for vector in vectors {
            let url = try vector.server(isSigned: true)
                .url(
                    for: vector.location,
                    vector.transform,
                    expires: vector.exp,
                    scope: vector.parsedScope()
                )
            guard case .text(let signed) = vector.signed else {
                Issue.record("\(vector.name)")
                continue
            }
            #expect(url == vector.url ?? signed, "\(vector.name)")
        }
    }

    @Test func `scoped signatures are those of the vectors`() throws {
        let vectors = try Vectors.read("signatures", as: Vectors.Signatures.self).scopes
        #expect(vectors.count >= 5)
        for vector in vectors {
            let server = try vector.server(isSigned: true)
            let scope = try #require(try vector.parsedScope())
            let url = try server.url(for: vector.location, vector.transform, expires: vector.exp, scope: scope)
            guard case .text(let signed) = vector.signed else {
                Issue.record("\(vector.name)")
                continue
            }
            #expect(url == vector.url ?? signed, "\(vector.name)")
            let open = try server.scopedURL(for: vector.location, scope: scope, expires: vector.exp)
            #expect(open.description == (vector.base ?? "") + (vector.open ?? ""), "\(vector.name)")
            try check(open, vector)
        }
    }

    @Test func `scopes are written as in the vectors`() throws {
        let vectors = try Vectors.read("signatures", as: Vectors.Signatures.self).scopeTexts
        #expect(vectors.count >= 5)
        for vector in vectors {
            let scope = try (vector.entries ?? []).reduce(URLScope()) { scope, entry in
                let values = try entry.values.map { try $0.map(Self.value) } ?? [.any]
                return scope.allow(entry.name, values, isRequired: entry.required ?? false)
            }
            #expect(scope.text == vector.scope, "\(vector.name)")
            let open = try vector.server(isSigned: true).scopedURL(for: .path("photos/cat.jpg"), scope: scope)
            #expect(open.description == vector.open, "\(vector.name)")
            try check(open, vector)
        }
    }

    private static func value(_ value: Vectors.Value) throws -> URLScope.Value {
        switch value {
        case .text(let text): .text(text)
        case .range(let ends): .range(try #require(Double(ends[0]))...(try #require(Double(ends[1]))))
        }
    }

    /// Checks what a scoped URL permits.
    private func check(_ open: ScopedImageURL, _ vector: Vectors.Case) throws {
        for query in vector.permits ?? [] {
            let isForOrigin = query.hasPrefix("v=")
            let transform = try isForOrigin ? Self.origin(query) : ImageTransform(query: query)
            #expect(throws: Never.self, "\(vector.name): \(query)") { try open.url(transform) }
        }
        for refusal in vector.refuses ?? [] {
            let isForOrigin = refusal.query.hasPrefix("v=")
            let transform = try isForOrigin ? Self.origin(refusal.query) : ImageTransform(query: refusal.query)
            let error = #expect(throws: ImageURLError.self, "\(vector.name): \(refusal.query)") {
                try open.url(transform)
            }
            #expect(error?.parameter == refusal.parameter, "\(vector.name): \(refusal.query)")
        }
    }

    private static func origin(_ query: String) throws -> ImageTransform {
        ImageTransform().originParameter("v", try #require(String(query.dropFirst(2)).removingPercentEncoding))
    }
}
