import AdminPages
import HTTPKit

/// A browser that shows a response to a person, who reads errors as pages; programs read them as problem documents (RFC 9457).
struct PageReader: Sendable {
    /// The request target as sent.
    let target: [UInt8]
    let site: Site

    /// The fields that decide about it.
    static let vary: VaryFields = [.accept, .fetchDestination]

    /// Creates a reader if the client prefers a page; `nil` for a program, or for a request for an image.
    init?(_ head: borrowing RequestHead, of site: Site, in bytes: Span<UInt8>) {
        guard head.has(.accept), Self.isForDocument(head, bytes) else { return nil }
        var accept = ""
        head.forEach(.accept) { value in
            accept += (accept.isEmpty ? "" : ",") + String(decoding: bytes.copy(value), as: UTF8.self)
        }
        guard Self.prefersPage(accept: accept) else { return nil }
        target = bytes.copy(head.pathAndQuery)
        self.site = site
    }

    /// Whether `Sec-Fetch-Dest` (Fetch Metadata §2.1) is absent, or states a document.
    private static func isForDocument(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard let value = head.value(named: "sec-fetch-dest", in: bytes) else { return true }
        return ["document", "iframe", "frame"].contains(String(decoding: bytes.copy(value), as: UTF8.self))
    }

    /// Whether an `Accept` field prefers HTML to problem documents (RFC 9110 §12.5.1).
    ///
    /// A field that begins with an image type is that of an image element.
    private static func prefersPage(accept: String) -> Bool {
        var types: [(name: String, weight: Int)] = []
        for element in accept.split(separator: ",").prefix(64) {
            let text = element.lowercased().filter { $0 != " " && $0 != "\t" }
            let parts = text.split(separator: ";").map(String.init)
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            types.append((name, weight.map { Self.weight(String($0.dropFirst(2))) } ?? 1_000))
        }
        guard let first = types.first, !first.name.hasPrefix("image/") else { return false }
        func weight(of names: [String]) -> Int {
            // The most specific range counts, so the names are in that order.
            for name in names {
                if let found = types.first(where: { $0.name == name }) { return found.weight }
            }
            return 0
        }
        let page = types.first { $0.name == "text/html" }?.weight ?? 0
        let document = max(
            weight(of: ["application/problem+json", "application/*", "*/*"]),
            weight(of: ["application/json"])
        )
        return page > document
    }

    /// A weight in thousandths; 0 if it is malformed.
    private static func weight(_ text: String) -> Int {
        guard text.utf8.count <= 5, let value = Double(text), (0...1).contains(value) else { return 0 }
        return Int(value * 1_000)
    }
}

extension Response {
    /// Creates the response to an invalid request: a page for a person, or a problem document.
    ///
    /// - Parameters:
    ///   - reader: the person's browser; `nil` for a program.
    ///   - vary: the request fields that it may depend on, besides those that choose between the two.
    ///   - id: the request id.
    init(_ problem: Problem, to reader: PageReader?, vary: VaryFields = [], id: String) {
        self.init(problem, vary: vary.union(PageReader.vary), id: id)
        guard let reader else { return }
        let page = ErrorPage(problem, reader: reader, id: id)
        fields = page.fields(replacing: fields)
        body = .bytes(Array(page.html.text.utf8))
    }
}
