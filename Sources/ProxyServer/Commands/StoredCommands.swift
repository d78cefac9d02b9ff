import ArgumentParser
import Foundation
import Glibc
import HTTPSemantics
import LinuxSystem

/// The option that names the site of a path.
struct StoredSiteOption: ParsableArguments {
    @Option(help: "The site of the path; by default that of its prefix.")
    var site: String?
}

/// The query of an admin target about a path, after `path=`.
struct StoredPath {
    let query: String

    init(_ path: String, _ accept: String?, _ site: StoredSiteOption) {
        func encoded(_ text: String) -> String {
            PercentEncoding.encode(text.utf8, except: PercentEncoding.isUnreserved)
        }
        let others = [("accept", accept), ("site", site.site)].compactMap { name, value in
            value.map { "&\(name)=\(encoded($0))" }
        }
        query = encoded(path) + others.joined()
    }
}

/// `edgeprint has`: tells whether images are stored by a running daemon.
struct HasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "has",
        abstract: "Tells whether a running daemon has images stored, without making them.",
        discussion: """
            Prints one line per path: the tiers that hold it, fresh or stale, with age and size. Nothing is fetched and \
            nothing is made.

            EXAMPLES
              edgeprint has /photos/cat.jpg
              edgeprint has '/photos/cat.jpg?preset=thumb' --json

            EXIT STATUS
                0   all of them are stored
                1   one is not, no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Argument(help: "Paths of requests, with their query.", completion: .custom(SourceNames.completePath))
    var paths: [String]

    @Option(help: "An Accept field, for images whose format is negotiated; otherwise any format counts.")
    var accept: String?

    @OptionGroup var site: StoredSiteOption

    @Flag(help: "Print the daemon's JSON object, one per line.")
    var json = false

    @OptionGroup var admin: AdminOptions

    func run() throws {
        var isComplete = true
        try admin.ask { client in
            var progress = ProgressLine(total: paths.count)
            defer { progress.clear() }
            for (done, path) in paths.enumerated() {
                progress.show(done)
                let answer = try client.send("GET", "/has?path=" + StoredPath(path, accept, site).query)
                let value = JSONValue(parsing: answer)
                isComplete = isComplete && value?["cached"] == .bool(true)
                progress.clear()
                try StandardOutput.write(json ? answer : HasLine(path, value).text)
            }
        }
        if !isComplete { throw ExitCode(1) }
    }
}

/// Formats the copies of an image.
struct HasLine {
    let text: String

    init(_ path: String, _ value: JSONValue?) {
        var parts: [String] = []
        if case .array(let variants)? = value?["variants"] {
            for variant in variants {
                let name = if case .string(let bucket)? = variant["bucket"] { bucket + " " } else { "" }
                for tier in ["memory", "disk"] {
                    guard let copy = variant[tier], let words = Self.words(copy) else { continue }
                    parts.append("\(name)\(tier) \(words)")
                }
            }
        }
        if let copy = value?["original.disk"], let words = Self.words(copy) { parts.append("original \(words)") }
        text = "\(Printing.plain(path)): \(parts.isEmpty ? "not stored" : parts.joined(separator: "; "))\n"
    }

    private static func words(_ copy: JSONValue) -> String? {
        guard let age = copy["age"]?.int, let bytes = copy["bytes"]?.int else { return nil }
        let state = copy["fresh"] == .bool(true) ? "fresh" : "stale"
        return "(\(state), \(Printing.duration(age)) old, \(Printing.size(bytes)))"
    }
}

/// `edgeprint get`: writes the stored bytes of an image.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Writes the stored bytes of an image of a running daemon, without making it.",
        discussion: """
            EXAMPLES
              edgeprint get '/photos/cat.jpg?preset=thumb' --output cat.jpg
              edgeprint get /photos/cat.jpg > cat.jpg

            EXIT STATUS
                0   success
                1   it is not stored, no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Argument(help: "Path of a request, with its query.", completion: .custom(SourceNames.completePath))
    var path: String

    @Option(name: .shortAndLong, help: "The file to write; standard output by default.", completion: .file())
    var output: String?

    @Option(help: "An Accept field, for images whose format is negotiated.")
    var accept: String?

    @OptionGroup var site: StoredSiteOption

    @OptionGroup var admin: AdminOptions

    func run() throws {
        try admin.ask { client in
            let answer = try client.fetch("/entry?path=" + StoredPath(path, accept, site).query)
            guard answer.status == 200 else {
                let text = String(decoding: answer.bytes, as: UTF8.self)
                let detail = JSONValue(parsing: text)?["detail"]?.words ?? text
                throw AdminClient.Failure.refused(status: answer.status, detail: detail)
            }
            if let output {
                try Data(answer.bytes).write(to: URL(fileURLWithPath: output), options: .atomic)
            } else {
                try FileHandle.standardOutput.write(contentsOf: Data(answer.bytes))
            }
        }
    }
}

/// `edgeprint put`: stores an original in a running daemon.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores an original in a running daemon, as if its origin had sent it.",
        discussion: """
            The bytes are examined like a download. They replace the stored original and make its variants void. Without \
            --cache-control the source's ttl says how long they are fresh; then the origin is asked.

            EXAMPLES
              edgeprint put /photos/cat.jpg build/cat.jpg
              edgeprint put /photos/cat.jpg - --cache-control max-age=86400 < cat.jpg

            EXIT STATUS
                0   stored
                1   no such file, no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Argument(help: "Path of the original's requests.", completion: .custom(SourceNames.completePath))
    var path: String

    @Argument(help: "The image, or - for standard input.", completion: .file())
    var file: String

    @Option(help: "The Cache-Control field that an origin would send.")
    var cacheControl: String?

    @Option(help: ArgumentHelp("The ETag field that the origin would send.", valueName: "tag"))
    var etag: String?

    @OptionGroup var site: StoredSiteOption

    @OptionGroup var admin: AdminOptions

    /// The fields of the origin's response that the options state.
    private var fields: [FieldLine] {
        get throws {
            let stated = [("--cache-control", "Cache-Control", cacheControl), ("--etag", "ETag", etag)]
            return try stated.compactMap { option, name, value -> FieldLine? in
                guard let value else { return nil }
                guard let line = FieldLine(name, value) else {
                    throw ValidationError("\(option) contains a line end or another control character.")
                }
                return line
            }
        }
    }

    func validate() throws { _ = try fields }

    func run() throws {
        let descriptor = file == "-" ? STDIN_FILENO : unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            FileHandle.standardError.write(Data("edgeprint: \(file): \(Errno(errno, "open"))\n".utf8))
            throw ExitCode(1)
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        let fields = try self.fields
        let progress = UploadProgress(of: descriptor)
        defer { progress.end() }
        try admin.ask { client in
            let target = "/original?path=" + StoredPath(path, nil, site).query
            let status = try client.upload(target, file: descriptor, fields: fields)
            progress.end()
            try StandardOutput.write("\(Printing.plain(path)): \(status == 201 ? "stored" : "replaced")\n")
        }
    }
}
