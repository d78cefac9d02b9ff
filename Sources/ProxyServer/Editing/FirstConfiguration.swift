import Foundation
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// The files of `edgeprint init`: a configuration with comments, its signing key, and its schema.
struct FirstConfiguration {
    /// Why there is none.
    struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// A file to write.
    struct File {
        let name: String
        let text: String
        let mode: UInt32
    }

    /// A source of the configuration.
    private struct Source {
        let name: String
        let url: String
        /// Whether it is a bucket of an object store, which needs a region.
        let isBucket: Bool
    }

    static let name = "edgeprint.yaml"
    static let key = "signing.key"
    static let schema = "edgeprint.schema.json"
    /// The name of a source that has none.
    private static let standardSource = "images"
    /// The region of buckets, which a URL does not name: that of AWS without any other.
    static let region = "us-east-1"

    private let folder: String
    private let sources: [Source]

    /// - Parameters:
    ///   - sources: `NAME=LOCATION` or locations.
    ///   - folder: the absolute path of the folder that the files are written to.
    ///   - workingDirectory: the absolute path that relative locations start from.
    init(sources: [String], folder: String, workingDirectory: String) throws(Problem) {
        self.folder = folder
        var found: [Source] = []
        for text in sources {
            let source = try Self.source(text, workingDirectory)
            guard !found.contains(where: { $0.name == source.name }) else {
                throw Problem("two sources are named '\(source.name)'; give NAME=LOCATION")
            }
            found.append(source)
        }
        self.sources = found
    }

    /// The names of sources whose region is only assumed.
    var buckets: [String] { sources.filter(\.isBucket).map(\.name) }

    /// The path of a file.
    func path(_ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }

    /// The files, the configuration last: it refers to the others.
    func files() -> [File] {
        let key = (0..<32).map { _ in UInt8.random(in: 0...255) }.hexText
        return [
            File(name: Self.key, text: key + "\n", mode: 0o600),
            File(name: Self.schema, text: ConfigurationSchemaDocument.json.document, mode: 0o644),
            File(name: Self.name, text: text, mode: 0o644),
        ]
    }

    private static func source(_ text: String, _ workingDirectory: String) throws(Problem) -> Source {
        var (name, location) = (standardSource, text)
        if let mark = text.firstIndex(of: "="), !text[..<mark].contains(where: { "/:.".contains($0) }) {
            (name, location) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
        }
        if let problem = SourceReader.problem(ofName: name, of: "source", reserved: SourceReader.reserved) {
            throw Problem("'\(Printing.plain(name))' \(problem)")
        }
        if !location.contains("://") {
            guard !location.isEmpty else { throw Problem("the location of '\(name)' is empty") }
            let path = location.hasPrefix("/") ? location : "\(workingDirectory)/\(location)"
            location = LocationParser.fileURL(URL(fileURLWithPath: path).standardizedFileURL.path)
        }
        if !location.hasSuffix("/") { location += "/" }
        guard case .success(let place) = LocationParser.parse(location) else {
            throw Problem(
                "'\(Printing.plain(text))' is not the location of images: give https://HOST/PATH/, s3://BUCKET/PREFIX/ or a folder"
            )
        }
        let isBucket = if case .bucket = place { true } else { false }
        return Source(name: name, url: location, isBucket: isBucket)
    }

    /// The further keys of a bucket.
    private static let bucketLines = """

            # The region of the bucket: replace the one that is assumed here, or give the endpoint of a store other than AWS. A bucket
            # that is not public needs auth.access-key and auth.secret-key.
            region: \(region)
        """

    /// The configuration.
    private var text: String {
        let quote = JSONText.quoted
        func plain(_ text: String) -> String { quote(text.replacing("${", with: "$${")) }
        let entries = sources.map { source in
            """
              \(source.name):
                url: \(plain(source.url))
            """ + (source.isBucket ? Self.bucketLines : "")
        }
        let example = """
            #  images:
            #    url: "https://images.example.com/originals/"
            """
        let name = sources.first?.name ?? Self.standardSource
        return """
            # yaml-language-server: $schema=\(Self.schema)
            #
            # The configuration of Edgeprint \(Version.text), written by edgeprint init. Keys that are not here have their defaults;
            # edgeprint check --config FILE prints all of them, or every mistake with its line. SIGHUP reloads the file.

            # Where clients send their requests. Behind a proxy on this machine, 127.0.0.1 is right; 0.0.0.0:8080 is every interface.
            listen: 127.0.0.1:8080

            admin:
              # Health, metrics and administration. Keep it on loopback, or set a token.
              listen: 127.0.0.1:8081

            # GET /NAME/PATH fetches url + PATH: /\(name)/cat.jpg?w=400 is the image cat.jpg, 400 pixels wide.
            sources:\(sources.isEmpty ? " {}\n" + example : "\n" + entries.joined(separator: "\n"))

            signing:
              # The key that edgeprint url signs with, and that signatures are verified with. It is a secret.
              keys: !file \(Self.key)
              # true refuses requests without a signature, so that nobody else can ask for sizes of their own.
              required: false

            cache:
              # Folder of the disk cache.
              path: \(plain(path("cache")))
              # Disk quotas of originals and of results. edgeprint simulate predicts from an access log what other sizes would bring.
              originals: 10GiB
              variants: 10GiB

            # NAME: a query; /\(name)/cat.jpg?preset=thumb is the same as with that query.
            presets:
              thumb: "w=200&h=200&fit=cover"

            """
    }
}
