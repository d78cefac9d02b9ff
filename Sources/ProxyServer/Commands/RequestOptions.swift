import ArgumentParser
import Foundation
import HTTPSemantics

/// The request that a command describes without sending it, and the configuration that it is for.
struct RequestOptions: ParsableArguments {
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

    func validate() throws {
        _ = try client.fields
        guard path.hasPrefix("/") || path.contains("://") else {
            throw ValidationError(
                "PATH must begin with a slash, as in /NAME/PATH?w=400, or be the full URL of a request."
            )
        }
    }

    /// Loads the configuration; ends the process with its errors if it is invalid.
    func configuration() throws -> LoadedConfiguration {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        return try loader.loadWithOriginsOrExit()
    }
}

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
