import ArgumentParser
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

    @OptionGroup var request: RequestOptions

    @Flag(help: "Include settings at their defaults.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let place: ExplainedSite
        do {
            place = try ExplainedSite(request.path, named: request.site, in: request.configuration())
        } catch let problem as Problem {
            var refused = Explanation(target: request.path)
            refused.problem = problem
            try StandardOutput.write(json ? refused.json.document : refused.text)
            throw ExitCode(1)
        }
        let explainer = try Explainer(place.loaded, mount: place.mount, time: SystemTime())
        var whole = try explainer.explain(place.target, accept: request.accept, fields: request.client.fields)
        whole.target = request.path
        let explanation = all ? whole : whole.withoutDefaults
        try StandardOutput.write(json ? explanation.json.document : explanation.text)
        if explanation.problem != nil { throw ExitCode(1) }
    }
}
