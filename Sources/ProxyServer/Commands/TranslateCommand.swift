import ArgumentParser
import Dialects
import Foundation
import Glibc
import ImagePlan
import LinuxSystem

/// `edgeprint translate`: other servers' URLs in Edgeprint's own language.
struct TranslateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "translate",
        abstract: "Translates the URLs of other image servers.",
        discussion: """
            Reads URLs, or paths with queries, one per line from standard input, and prints Edgeprint's own path and query for \
            each on the same line of the output. A line that begins with # says instead why a URL cannot be translated. A report \
            follows on standard error: the share that was translated, the time per URL, and what cannot be said, by option.

            Without --dialect, the configuration says which language a URL is in, by its host and path (dialect of sites and \
            sources). Images whose URL begins with that of a source become paths of this source, others requests of /fetch. \
            Signatures are not verified, and are left out; --sign signs the results with the first of signing.keys of the URL's site.

            EXAMPLES
              edgeprint translate --dialect imgproxy --source photos < urls.txt > translated.txt
              edgeprint translate --dialect thumbor --access-log < access.log
              edgeprint translate --config edgeprint.yaml < urls.txt

            EXIT STATUS
                0   every URL was translated
                1   at least one was not, or the configuration is invalid
                64  invalid command line
            """
    )

    @Option(help: "The language of all URLs: imgproxy, thumbor, imagor, weserv or cloudflare.")
    var dialect: Dialect?

    @Option(
        help: ArgumentHelp(
            "The source of images without a host; it need not be configured (default: dialect-source, or the only one).",
            valueName: "name"
        ),
        completion: .custom(SourceNames.completeName)
    )
    var source: String?

    @Option(help: "The site of all URLs; by default that of each URL's host or prefix.")
    var site: String?

    @Flag(help: "Read the lines of an access log: of Edgeprint's in JSON, or in the common or combined format.")
    var accessLog = false

    @Flag(help: "Sign the results.")
    var sign = false

    @OptionGroup var options: ConfigurationOptions

    /// The longest line, in bytes.
    private static let longestLine = 64 << 10

    func validate() throws {
        guard let source else { return }
        guard dialect != nil else { throw ValidationError("--source requires --dialect.") }
        guard RequestPath.isSourceName(source) else {
            throw ValidationError("'\(source)' is not the name of a source.")
        }
    }

    func run() throws {
        let translator = try translator()
        var report = TranslationReport()
        var reader = LineReader(descriptor: STDIN_FILENO, bound: Self.longestLine)
        let clock = ContinuousClock()
        var output = ""
        var number = 0
        while let line = reader.next() {
            number += 1
            var url = line.bytes
            if url.last == UInt8(ascii: "\r") { url.removeLast() }
            if accessLog {
                if let logged = LoggedRequest(url), !line.isCut {
                    url = logged.target
                } else {
                    report.addUnreadable()
                    url = []
                }
            }
            if !url.isEmpty {
                let start = clock.now
                output += Self.translated(url, isCut: line.isCut, line: number, by: translator, &report)
                report.time += clock.now - start
            }
            output += "\n"
            // A writer that waits for each answer must not be kept waiting.
            guard reader.isEmpty || output.utf8.count > 1 << 16 else { continue }
            try StandardOutput.write(output)
            output = ""
        }
        try StandardOutput.write(output)
        StandardError.write(report.text)
        if report.refused > 0 { throw ExitCode(1) }
    }

    private static func translated(
        _ url: [UInt8],
        isCut: Bool,
        line: Int,
        by translator: TargetTranslator,
        _ report: inout TranslationReport
    ) -> String {
        do throws(Problem) {
            guard !isCut else { throw Problem(414, "The URL is longer than \(longestLine) bytes.", parameter: "path") }
            let target = try translator.target(of: url)
            report.addTranslated()
            return target
        } catch {
            report.add(error, line: line)
            return "# \(Printing.plain(error.detail))"
        }
    }

    private func translator() throws -> TargetTranslator {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let sites = try SiteTable(try loader.loadOrExit(), time: SystemTime())
        let named = try site.map { name in
            guard let found = sites.site(named: name) else {
                StandardError.write("edgeprint: \(Problem.unknownSite(name, in: sites).detail)\n")
                throw ExitCode(1)
            }
            return found
        }
        let translator = TargetTranslator(sites, site: named, dialect: dialect, base: source, signs: sign)
        guard !sign || translator.canSign else {
            StandardError.write("edgeprint: --sign needs a key, and signing.keys has none\n")
            throw ExitCode(1)
        }
        return translator
    }
}

extension Dialect: ExpressibleByArgument {}
