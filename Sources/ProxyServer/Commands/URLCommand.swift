import ArgumentParser
import Foundation
import LinuxSystem

/// `edgeprint url`: builds request URLs.
struct URLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Builds a request path, signed if a key is configured.",
        discussion: """
            Percent-encodes path and values, validates every parameter, and signs with the first of signing.keys. With \
            --widths it prints the value of an HTML srcset attribute.

            EXAMPLES
              edgeprint url 'photos/a b.jpg' w=400 h=300 fit=cover
              edgeprint url https://images.example.com/cat.png w=200 --expires 7d
              edgeprint url https://images.example.com/cat.png w=200 --url-form encrypted
              edgeprint url photos/cat.jpg --widths 320,640,1280 q=75 --base https://img.example.com
              edgeprint url photos/cat.jpg crop=50%x100% w=400 --widths 320,640
              edgeprint url photos/cat.jpg --scope 'w:320-1920,dpr:1-3,format:*' --expires 7d
              edgeprint url photos/cat.jpg w=400 h=300 --path-style
              edgeprint url photos/cat.jpg w=400 --site shop --base https://img.shop.example
              edgeprint url files/report.txt --method PUT --expires 1h

            EXIT STATUS
                0   success
                1   the daemon would refuse the request, or the configuration is invalid
                64  invalid command line
            """
    )

    @Argument(
        help: ArgumentHelp(
            "NAME/PATH of a source, not encoded, or an absolute URL.",
            valueName: "source-or-url"
        ),
        completion: .custom(SourceNames.completePath)
    )
    var subject: String

    @Argument(help: ArgumentHelp("Steps and settings in order, not encoded.", valueName: "key=value"))
    var parameters: [String] = []

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The site whose sources, presets and keys are used.")
    var site: String?

    @Option(help: ArgumentHelp("Validity as a duration (1h, 7d) or an end in seconds since 1970.", valueName: "time"))
    var expires: String?

    @Option(
        help: ArgumentHelp(
            "Sign this scope instead of the parameters, which clients then choose: name:low-high, name:a|b or name:*; name!: for a required one.",
            valueName: "name:values,…"
        )
    )
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "Method to sign for a raw source, such as POST or PUT. A signature for GET is also valid for HEAD.",
            valueName: "method"
        )
    )
    var method = "GET"

    @Option(help: ArgumentHelp("Prefix of the output, such as https://img.example.com.", valueName: "url"))
    var base: String?

    @Option(
        help: ArgumentHelp(
            "Print a srcset with these widths; each replaces w, and h is scaled alike; without one, w is inserted behind a preset, or first. dpr is left out.",
            valueName: "px,…"
        )
    )
    var widths: String?

    @Option(
        help: ArgumentHelp(
            "How an absolute URL is written: plain (url), base64 (url64), or encrypted (enc, with remote.url-keys).",
            valueName: "form"
        )
    )
    var urlForm = RequestBuilder.URLForm.plain

    @Flag(help: "Write the parameters in the path, for a source with path-style: /NAME/w=400,h=300/PATH.")
    var pathStyle = false

    @Flag(help: "The path is already percent-encoded.")
    var encoded = false

    func validate() throws {
        for parameter in parameters where !parameter.contains("=") {
            throw ValidationError("'\(parameter)' is not of the form key=value.")
        }
        if let base, !base.contains("://") { throw ValidationError("--base must begin with https:// or http://.") }
        _ = try pixelWidths()
    }

    func run() throws {
        let time = SystemTime()
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let builder = RequestBuilder(try resolver(try loader.loadOrExit(), time))
        var request = RequestBuilder.Request(subject: subject, isEncoded: encoded)
        request.expires = try expirySecond(now: time.wallSeconds)
        request.method = method
        request.scope = scope
        request.form = urlForm
        request.isPathStyle = pathStyle
        do {
            guard let widths = try pixelWidths() else {
                request.parameters = pairs
                return try StandardOutput.write(try address(builder.target(of: request)) + "\n")
            }
            let candidates = try widths.map { width in
                request.parameters = try pairs(width: width)
                return "\(try address(builder.target(of: request))) \(width)w"
            }
            try StandardOutput.write(candidates.joined(separator: ", ") + "\n")
        } catch let problem as Problem {
            FileHandle.standardError.write(Data("edgeprint: \(Self.sentence(problem))\n".utf8))
            throw ExitCode(1)
        }
    }

    /// The resolver of the named site, or of the sources at the file's top.
    private func resolver(_ configuration: Configuration, _ time: any TimeSource) throws -> RequestResolver {
        let sites = try SiteTable(configuration, time: time)
        guard let found = sites.site(named: site ?? "") else {
            let problem = Problem.unknownSite(site ?? "", in: sites)
            FileHandle.standardError.write(Data("edgeprint: \(problem.detail)\n".utf8))
            throw ExitCode(1)
        }
        return found.resolver
    }

    /// The problem's detail, prefixed with its parameter unless it begins with it already.
    private static func sentence(_ problem: Problem) -> String {
        guard let parameter = problem.parameter.map({ "\($0): " }), !problem.detail.hasPrefix(parameter) else {
            return problem.detail
        }
        return parameter + problem.detail
    }

    private func address(_ target: String) -> String {
        guard let base else { return target }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + target
    }

    private var pairs: [(name: String, value: String)] {
        parameters.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: String(parts[1]))
        }
    }

    /// The parameters for a width in device pixels, without `dpr`, which would multiply it.
    ///
    /// The width replaces `w`, and `h` is scaled alike. Without a `w` it stands behind a preset, whose steps come first, or else first.
    private func pairs(width: Int) throws(Problem) -> [(name: String, value: String)] {
        var pairs = pairs.filter { $0.name != "dpr" }
        let other = pairs.firstIndex { $0.name == "h" }
        guard let place = pairs.firstIndex(where: { $0.name == "w" }) else {
            guard other == nil else {
                throw Problem(400, "must have a w beside it, from which --widths scales it.", parameter: "h")
            }
            let preset = pairs.firstIndex { $0.name == "preset" }
            pairs.insert((name: "w", value: String(width)), at: preset.map { $0 + 1 } ?? 0)
            return pairs
        }
        if let other, let old = Double(pairs[place].value), let height = Double(pairs[other].value) {
            guard old != 0 else { throw Problem(400, "must be at least 1.", parameter: "w") }
            if let scaled = Int(exactly: (height * Double(width) / old + 0.5).rounded(.down)) {
                pairs[other].value = String(max(1, scaled))
            }
        }
        pairs[place].value = String(width)
        return pairs
    }

    private func pixelWidths() throws -> [Int]? {
        try widths.map { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map { item in
                guard let width = Int(item), width > 0 else {
                    throw ValidationError("'\(item)' in --widths is not a number of pixels.")
                }
                return width
            }
        }
    }

    private func expirySecond(now: Int64) throws -> Int64? {
        try expires.map { text in
            let firstSecond: Int64 = 1_000_000_000
            if let number = Int64(text) {
                // A smaller number is rather a duration whose unit is missing.
                guard number >= firstSecond else {
                    throw ValidationError(
                        "--expires '\(text)' has no unit, such as h in 1h; seconds since 1970 are at least \(firstSecond)."
                    )
                }
                return number
            }
            guard let seconds = ScaledNumber.parse(text, units: ScaledNumber.seconds, bare: nil), seconds > 0 else {
                throw ValidationError("--expires '\(text)' is neither a duration such as 1h nor seconds since 1970.")
            }
            let end = now.addingReportingOverflow(Int64(seconds))
            guard !end.overflow else { throw ValidationError("--expires '\(text)' is too long.") }
            return end.partialValue
        }
    }
}

extension RequestBuilder.URLForm: ExpressibleByArgument {}
