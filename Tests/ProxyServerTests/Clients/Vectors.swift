import Foundation
import TestSupport
import Testing

@testable import ProxyServer

/// The files of `clients/vectors`, which `clients/README.md` describes.
enum Vectors {
    /// The configuration for which they hold.
    static func yaml(signing key: String? = nil) throws -> String {
        let text = try String(contentsOfFile: Checkout.path("clients/vectors/edgeprint.yaml"), encoding: .utf8)
        return text + (key.map { "signing: { keys: [\"\($0)\"], required: true }\n" } ?? "")
    }

    /// The resolver for this configuration, or for that of a site with a prefix.
    static func resolver(signing key: String? = nil, prefix: String = "") throws -> RequestResolver {
        try RequestResolver(try load(yaml(signing: key)), time: ManualTime(), mount: prefix)
    }

    /// Reads a file.
    static func read<File: Decodable>(_ name: String, _: File.Type = File.self) throws -> File {
        let url = URL(fileURLWithPath: Checkout.path("clients/vectors/\(name).json"))
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    }

    /// A file with a list.
    struct Cases<Case: Decodable & Sendable>: Decodable, Sendable {
        let cases: [Case]
    }

    /// The parts of a request.
    struct Request: Decodable, Sendable {
        let name: String
        let source: String?
        let path: String?
        let remote: String?
        let form: String?
        let parameters: [[String]]?
        let exp: Int64?
        let scope: String?

        /// The same for the server's builder.
        ///
        /// - Parameter parameters: other parameters.
        func built(_ parameters: [[String]]? = nil) throws -> RequestBuilder.Request {
            let subject = try remote ?? "\(#require(source))/\(#require(path))"
            var request = RequestBuilder.Request(subject: subject)
            request.parameters = (parameters ?? self.parameters ?? []).map { (name: $0[0], value: $0[1]) }
            request.expires = exp
            request.scope = scope
            request.form = try #require(RequestBuilder.URLForm(rawValue: form ?? "plain"))
            return request
        }
    }

    /// A request and what is expected of it; which members a case has depends on its file.
    struct Case: Decodable, Sendable {
        let request: Request
        /// The beginning of URLs.
        let base: String?
        /// The beginning of the site's paths.
        let prefix: String?
        let target: String?
        let url: String?
        /// The text of the first part of a watermark, and that part.
        let text: String?
        let value: String?
        /// Who refuses the request, and the parameter at fault.
        let by: String?
        let parameter: String?
        /// The key, if it is not that of the file, the signature, and the signed target.
        let key: String?
        let sig: String?
        let signed: String?

        enum CodingKeys: CodingKey {
            case base, prefix, target, url, text, value, by, parameter, key, sig, signed
        }

        init(from decoder: any Decoder) throws {
            request = try Request(from: decoder)
            let members = try decoder.container(keyedBy: CodingKeys.self)
            func text(_ key: CodingKeys) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
            base = try text(.base)
            prefix = try text(.prefix)
            target = try text(.target)
            url = try text(.url)
            self.text = try text(.text)
            value = try text(.value)
            by = try text(.by)
            parameter = try text(.parameter)
            key = try text(.key)
            sig = try text(.sig)
            signed = try text(.signed)
        }
    }

    /// `signatures.json`.
    struct Signatures: Decodable, Sendable {
        let key: String
        let cases: [Case]
        let keys: [Case]
        let sites: [Case]
        let scopes: [Scope]
        let scopeTexts: [Scope]
    }

    /// A scope, and the queries that it permits or refuses behind the URL that is `open` to them.
    struct Scope: Decodable, Sendable {
        struct Refusal: Decodable, Sendable {
            let query: String
            let parameter: String
        }

        struct Entry: Decodable, Sendable {
            let name: String
        }

        let name: String
        let scope: String
        let open: String
        let permits: [String]
        let refuses: [Refusal]
        let entries: [Entry]?
    }

    /// `srcset.json`.
    struct Sets: Decodable, Sendable {
        struct Set: Decodable, Sendable {
            let request: Request
            let base: String?
            let signed: Bool?
            let widths: [Int]?
            let densities: [String]?
            let srcset: String

            enum CodingKeys: CodingKey {
                case base, signed, widths, densities, srcset
            }

            init(from decoder: any Decoder) throws {
                request = try Request(from: decoder)
                let members = try decoder.container(keyedBy: CodingKeys.self)
                base = try members.decodeIfPresent(String.self, forKey: .base)
                signed = try members.decodeIfPresent(Bool.self, forKey: .signed)
                widths = try members.decodeIfPresent([Int].self, forKey: .widths)
                densities = try members.decodeIfPresent([String].self, forKey: .densities)
                srcset = try members.decode(String.self, forKey: .srcset)
            }
        }

        /// A set that is refused, and the parameter at fault.
        struct Refusal: Decodable, Sendable {
            let request: Request
            let widths: [Int]
            let parameter: String

            enum CodingKeys: CodingKey {
                case widths, parameter
            }

            init(from decoder: any Decoder) throws {
                request = try Request(from: decoder)
                let members = try decoder.container(keyedBy: CodingKeys.self)
                widths = try members.decode([Int].self, forKey: .widths)
                parameter = try members.decode(String.self, forKey: .parameter)
            }
        }

        struct Picture: Decodable, Sendable {
            let name: String
            let base: String?
            let signed: Bool?
            let html: String
        }

        let key: String
        let cases: [Set]
        let refusals: [Refusal]
        let pictures: [Picture]
    }

    /// `cache-status.json`.
    struct Fields: Decodable, Sendable {
        struct Status: Decodable, Sendable {
            let name: String
            let value: String
        }

        struct Timing: Decodable, Sendable {
            let name: String
            let value: String
            let microseconds: [String: UInt32]
        }

        let cacheStatus: [Status]
        let serverTiming: [Timing]
    }
}
