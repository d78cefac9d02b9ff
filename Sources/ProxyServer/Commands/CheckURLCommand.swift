import ArgumentParser
import Foundation
import Glibc
import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// `edgeprint check-url`: the address policy's verdict on upstream URLs.
struct CheckURLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-url",
        abstract: "Prints whether upstream URLs may be asked; connects to nothing.",
        discussion: """
            One JSON object a line: {"url":…,"verdict":"allow"|"block","rule":…}. The rule of a blocked URL is what \
            its address is (loopback, private, link-local …), bad-port where the port is another protocol's, or what is \
            wrong with it (malformed, scheme, userinfo, length). A host name is allowed by the rule "name": its addresses are judged when it is connected \
            to. No name is resolved.

            EXAMPLES
              edgeprint check-url 'http://169.254.169.254/latest/meta-data/'
              edgeprint check-url --source photos 'http://10.0.0.7/a.jpg'
              edgeprint check-url - < urls.txt

            EXIT STATUS
              0   every URL is allowed
              1   one or more are blocked, or the configuration is wrong
              64  the command line is wrong
            """
    )

    @Argument(help: ArgumentHelp("URLs, or - for one a line of standard input.", valueName: "url"))
    var urls: [String]

    @Flag(help: "As a source with allow-private: its own network may be asked.")
    var allowPrivate = false

    @Option(
        help: ArgumentHelp("As this source of the configuration; fetch for /fetch?url=.", valueName: "name"),
        completion: .custom(SourceNames.completeName)
    )
    var source: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if source != nil, allowPrivate {
            throw ValidationError("--source and --allow-private exclude each other: a source has its own rule.")
        }
    }

    func run() throws {
        let rule = try sourceRule()
        let allowPrivate = allowPrivate || rule?.allowPrivate ?? false
        let prefix = rule?.location.urlPrefix.flatMap { try? OriginURL($0) }
        var isBlocked = false
        func judge(_ bytes: [UInt8], isCut: Bool = false) -> String {
            let verdict = URLVerdict(bytes, isCut: isCut, allowPrivate: allowPrivate, below: prefix)
            if verdict.verdict.decision == .block { isBlocked = true }
            return verdict.json + "\n"
        }
        for url in urls {
            guard url == "-" else {
                try StandardOutput.write(judge(Array(url.utf8)))
                continue
            }
            var reader = LineReader(descriptor: STDIN_FILENO, bound: OriginURL.maximumLength)
            var output = ""
            while let line = reader.next() {
                output += judge(line.bytes, isCut: line.isCut)
                // Whoever writes a line and waits for its verdict gets it.
                guard reader.isEmpty || output.utf8.count > 1 << 16 else { continue }
                try StandardOutput.write(output)
                output = ""
            }
            try StandardOutput.write(output)
        }
        if isBlocked { throw ExitCode(1) }
    }

    /// The rule of the source that was named; without one, none may ask its own network.
    private func sourceRule() throws -> SourceRule? {
        guard let source else { return nil }
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let configuration = try loader.loadOrExit()
        if source == "fetch" { return configuration.remoteRule }
        guard let rule = configuration.source(named: source)?.rule else {
            let names = configuration.sources.map(\.rule.name)
            let nearest = NearestName.of(source, among: names + ["fetch"]).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("There is no source '\(source)'\(nearest)")
        }
        guard !rule.isFolder else { throw ValidationError("The source '\(source)' is a folder: it asks no URL.") }
        return rule
    }
}
