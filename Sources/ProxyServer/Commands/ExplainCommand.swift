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
        let explainer = try Explainer(loader.loadWithOriginsOrExit(), time: SystemTime())
        let whole = try explainer.explain(path, accept: accept, fields: client.fields)
        let explanation = all ? whole : whole.withoutDefaults
        try StandardOutput.write(json ? explanation.json.document : explanation.text)
        if explanation.problem != nil { throw ExitCode(1) }
    }
}
