import ArgumentParser
import LinuxSystem

/// `edgeprint key`: prints the cache key of a request.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Prints the cache key of a request.",
        discussion: """
            Two requests with the same key get the same cached response. With --json, the original's key and the bucket of \
            format=auto follow. Access rules are not checked and nothing is fetched; explain shows everything else.

            EXAMPLES
              edgeprint key '/photos/cat.jpg?w=400'
              edgeprint key '/photos/cat.jpg?w=400' --accept 'image/webp' --json

            EXIT STATUS
                0   the key was printed
                1   the request or the configuration is invalid
                64  invalid command line
            """
    )

    @OptionGroup var request: RequestOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let loaded = try request.configuration()
        let fields = try request.client.fields
        let keys: RequestKeys
        do throws(Problem) {
            let place = try ExplainedSite(request.path, named: request.site, in: loaded)
            keys = try place.explainer(SystemTime()).keys(of: place.target, accept: request.accept, fields: fields)
        } catch {
            StandardError.write("edgeprint: \(error.detail)\n")
            throw ExitCode(1)
        }
        try StandardOutput.write(json ? keys.json.document : keys.key + "\n")
    }
}
