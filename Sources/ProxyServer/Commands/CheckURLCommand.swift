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
        abstract: "Prints whether the address policy allows upstream URLs.",
        discussion: """
            One JSON object per line: {"url":…,"verdict":"allow"|"block","rule":…}. The rule of a blocked URL is the \
            kind of its address (loopback, private, link-local …), bad-port for a port of another protocol, or the \
            defect of the URL (malformed, scheme, userinfo, length). A host name is allowed by the rule "name": its \
            addresses are checked on connection. The command resolves no names and connects to nothing.

            EXAMPLES
              edgeprint check-url 'http://169.254.169.254/latest/meta-data/'
              edgeprint check-url --source photos 'http://10.0.0.7/a.jpg'
              edgeprint check-url - < urls.txt

            EXIT STATUS
                0   every URL is allowed
                1   at least one is blocked, or the configuration is invalid
                64  invalid command line
            """
    )

    @Argument(help: ArgumentHelp("URLs, or - to read one per line from standard input.", valueName: "url"))
    var urls: [String]

    @Flag(help: "Allow private addresses, like a source with allow-private.")
    var allowPrivate = false

    @Option(
        help: ArgumentHelp("Apply the rules of this source; fetch for /fetch?url=.", valueName: "name"),
        completion: .custom(SourceNames.completeName)
    )
    var source: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if source != nil, allowPrivate {
            throw ValidationError("--source and --allow-private cannot be combined: a source has its own rule.")
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
                // A writer that waits for each verdict must not be kept waiting.
                guard reader.isEmpty || output.utf8.count > 1 << 16 else { continue }
                try StandardOutput.write(output)
                output = ""
            }
            try StandardOutput.write(output)
        }
        if isBlocked { throw ExitCode(1) }
    }

    /// The rule of the named source; `nil` without one, which allows no private addresses.
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
        guard !rule.isFolder else { throw ValidationError("The source '\(source)' is a folder: it has no URLs.") }
        return rule
    }
}
