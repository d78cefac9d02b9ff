import ArgumentParser
import Foundation
import LinuxSystem

/// `edgeprint explain`: shows how a request is resolved.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows how a request is resolved, and why.",
        discussion: """
            Prints source, upstream URL, steps in order, canonical plan, cache key, limits and freshness, each with the \
            URL parameter, preset, configuration line or variable that it comes from. Settings at their defaults are \
            only counted, unless --all is given. A request that the daemon would refuse shows the same error. Nothing \
            is fetched.

            EXAMPLES
              edgeprint explain '/photos/cat.jpg?w=400&h=300&fit=cover'
              edgeprint explain '/photos/cat.jpg?preset=thumb' --accept 'image/webp'
              edgeprint explain '/photos/cat.jpg?w=400' --site shop
              edgeprint explain '/fetch?url=https%3A%2F%2Fa.example%2Fb.png&w=200' --json

            EXIT STATUS
                0   the daemon would serve the request
                1   it would respond with an error, which is printed, or the configuration is invalid
                64  invalid command line
            """
    )

    @Argument(
        help: ArgumentHelp("Path and query of the request, in quotes: '/NAME/PATH?w=400'.", valueName: "path"),
        completion: .custom(SourceNames.completePath)
    )
    var path: String

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The site of the request; by default that of a full URL's host, or of the path's prefix.")
    var site: String?

    @Option(help: ArgumentHelp("The client's Accept field, used by format=auto.", valueName: "header"))
    var accept: String?

    @OptionGroup var client: ClientFieldOptions

    @Flag(help: "Include settings at their defaults.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try client.fields
        guard path.hasPrefix("/") || path.contains("://") else {
            throw ValidationError(
                "PATH must begin with a slash, as in /NAME/PATH?w=400, or be the full URL of a request."
            )
        }
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let place: ExplainedSite
        do {
            place = try ExplainedSite(path, named: site, in: loader.loadWithOriginsOrExit())
        } catch let problem as Problem {
            var refused = Explanation(target: path)
            refused.problem = problem
            try StandardOutput.write(json ? refused.json.document : refused.text)
            throw ExitCode(1)
        }
        let explainer = try Explainer(place.loaded, mount: place.mount, time: SystemTime())
        var whole = try explainer.explain(place.target, accept: accept, fields: client.fields)
        whole.target = path
        let explanation = all ? whole : whole.withoutDefaults
        try StandardOutput.write(json ? explanation.json.document : explanation.text)
        if explanation.problem != nil { throw ExitCode(1) }
    }
}
