import ArgumentParser
import Foundation
import HTTPSemantics
import LinuxSystem

/// The options that name header fields of a client.
struct ClientFieldOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "Another field of the client, such as 'Host: img.example.com', which rules may compare; may be repeated.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    /// The parsed fields.
    var fields: FieldLines {
        get throws {
            do throws(Problem) {
                return try ClientFields.parse(headers, parameter: "--header")
            } catch {
                throw ValidationError(error.detail)
            }
        }
    }
}

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

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try client.fields
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let loaded = try loader.loadWithOriginsOrExit()
        let fields = try client.fields
        let keys: RequestKeys
        do throws(Problem) {
            let place = try ExplainedSite(path, named: site, in: loaded)
            keys = try place.explainer(SystemTime()).keys(of: place.target, accept: accept, fields: fields)
        } catch {
            StandardError.write("edgeprint: \(error.detail)\n")
            throw ExitCode(1)
        }
        try StandardOutput.write(json ? keys.json.document : keys.key + "\n")
    }
}
