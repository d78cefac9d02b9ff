import ArgumentParser
import Foundation
import LinuxSystem

/// `edgeprint explain`: what the daemon would make of a request.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints what a request comes to, and who said so; fetches nothing.",
        discussion: """
            Source, upstream URL, steps in order, canonical plan, cache key, limits and freshness: each with the URL's \
            parameter, the preset, the line of the configuration, or the variable that it comes from. Settings at \
            their defaults are counted; --all prints them, too. What the daemon would refuse is answered with the \
            same words.

            EXAMPLES
              edgeprint explain '/photos/cat.jpg?w=400&h=300&fit=cover'
              edgeprint explain '/photos/cat.jpg?preset=thumb' --accept 'image/webp'
              edgeprint explain '/fetch?url=https%3A%2F%2Fa.example%2Fb.png&w=200' --json

            EXIT STATUS
              0   the daemon would go and get the picture
              1   it would answer an error, which is printed, or the configuration is wrong
              64  the command line is wrong
            """
    )

    @Argument(
        help: ArgumentHelp("Path and query as a client sends them, in quotes: '/NAME/PATH?w=400'.", valueName: "path"),
        completion: .custom(SourceNames.completePath)
    )
    var path: String

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The client's Accept field, which format=auto goes by.", valueName: "header"))
    var accept: String?

    @Flag(help: "Also the settings that are at their defaults.")
    var all = false

    @Flag(help: "One JSON object for programs.")
    var json = false

    func validate() throws {
        guard path.hasPrefix("/") || path.contains("://") else {
            throw ValidationError("PATH begins with a slash: /NAME/PATH?w=400, or is the whole URL of a request.")
        }
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let explainer = try Explainer(loader.loadWithOriginsOrExit(), time: SystemTime())
        let whole = explainer.explain(path, accept: accept)
        let explanation = all ? whole : whole.withoutDefaults
        try StandardOutput.write(json ? explanation.json.document : explanation.text)
        if explanation.problem != nil { throw ExitCode(1) }
    }
}
