import EdgeprintURL
import Foundation

/// The vectors that every client of the repository shares (`clients/README.md`).
enum Vectors {
    /// A request, and what is expected of it.
    struct Case: Decodable, Sendable, CustomStringConvertible {
        var name: String
        var source: String?
        var path: String?
        var remote: String?
        var form: String?
        var parameters: [[String]]?
        var exp: Int64?
        var scope: String?
        var base: String?
        var prefix: String?
        var key: String?
        var signed: Text?
        var target: String?
        var url: String?
        var by: String?
        var parameter: String?
        var open: String?
        var permits: [String]?
        var refuses: [Refusal]?
        var entries: [Entry]?
        var widths: [Int]?
        var densities: [String]?
        var srcset: String?
        var text: String?
        var value: String?

        var description: String { name }
    }

    /// `true`, or the expected text.
    enum Text: Decodable, Sendable {
        case flag(Bool)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    struct Refusal: Decodable, Sendable {
        var query: String
        var parameter: String
    }

    struct Entry: Decodable, Sendable {
        var name: String
        var required: Bool?
        var values: [Value]?
    }

    /// A text, or the ends of a range.
    enum Value: Decodable, Sendable {
        case text(String)
        case range([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .range(try container.decode([String].self))
            }
        }
    }

    struct Signatures: Decodable, Sendable {
        var key: String
        var cases: [Case]
        var keys: [Case]
        var sites: [Case]
        var scopes: [Case]
        var scopeTexts: [Case]
    }

    struct Cases: Decodable, Sendable {
        var cases: [Case]
    }

    static func read<Contents: Decodable>(_ name: String, as _: Contents.Type = Contents.self) throws -> Contents {
        try JSONDecoder().decode(Contents.self, from: Data(text("clients/vectors/\(name).json").utf8))
    }

    /// A file of the repository.
    static func text(_ path: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The key of the signed cases.
    static func key() throws -> HMACKey { HMACKey(hexadecimal: try read("signatures", as: Signatures.self).key) }
}

extension Vectors.Case {
    /// The image.
    var location: ImageLocation {
        if let remote { return .remote(remote, isBase64: form == "base64") }
        return .path("\(source ?? "")/\(path ?? "")")
    }

    /// The parameters, of which the origin of the vectors' configuration receives `v`.
    var transform: ImageTransform { Self.transform(parameters ?? []) }

    static func transform(_ parameters: [[String]]) -> ImageTransform {
        parameters.reduce(ImageTransform()) { transform, pair in
            pair[0] == "v" ? transform.originParameter(pair[0], pair[1]) : transform.parameter(pair[0], pair[1])
        }
    }

    /// The server, with the key of the case or that of all.
    func server(isSigned: Bool) throws -> ImageServer {
        let key = try key.map { HMACKey(hexadecimal: $0) } ?? Vectors.key()
        return try ImageServer(base ?? "", prefix: prefix ?? "", authenticator: isSigned ? key : nil)
    }

    /// What the vectors call a scope.
    func parsedScope() throws -> URLScope? { try scope.map { try URLScope($0) } }
}
