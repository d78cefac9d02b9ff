import ArgumentParser
import Foundation

/// `edgeprint purge`: removes what a running daemon has cached.
struct PurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes originals and everything made of them from a running daemon's caches.",
        discussion: """
            A URL is a request's path (its steps do not matter: all variants go), or the original's absolute URL. Asks \
            the admin listener, and comes back when the bytes are gone from disk.

            EXAMPLES
              edgeprint purge /photos/cat.jpg /photos/dog.jpg
              edgeprint purge https://photos.example.com/originals/cat.jpg --dry-run
              edgeprint purge --source photos
              edgeprint purge --all --json

            EXIT STATUS
              0   done, also where nothing was there
              1   the daemon did not answer or refused, or the configuration is wrong
              64  the command line is wrong
            """
    )

    @Argument(help: ArgumentHelp("Paths or URLs of pictures.", valueName: "url"))
    var urls: [String] = []

    @Option(help: "All of a source; fetch for remote URLs.", completion: .custom(SourceNames.completeName))
    var source: String?

    @Flag(help: "Everything.")
    var all = false

    @Flag(help: "Only counts what would go.")
    var dryRun = false

    @Flag(help: "One JSON object a purge, for programs.")
    var json = false

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        let ways = (urls.isEmpty ? 0 : 1) + (source == nil ? 0 : 1) + (all ? 1 : 0)
        guard ways == 1 else { throw ValidationError("Name URLs, or --source NAME, or --all.") }
    }

    func run() throws {
        var targets = urls.map { PurgeOrder.Target.url($0) }
        if let source { targets.append(.source(source)) }
        if all { targets.append(.all) }
        try admin.ask { client in
            for target in targets {
                let order = PurgeOrder(target: target, isDry: dryRun)
                let answer = try client.send("POST", "/purge", body: order.json.text)
                try StandardOutput.write(json ? answer : line(target, answer))
            }
        }
    }

    private func line(_ target: PurgeOrder.Target, _ answer: String) -> String {
        let counts = (try? JSONDecoder().decode(Counts.self, from: Data(answer.utf8))) ?? Counts()
        let name =
            switch target {
            case .url(let url): url
            case .source(let name): "source \(name)"
            case .all: "everything"
            }
        return
            "\(name): \(dryRun ? "would remove" : "removed") \(counts.originals) originals and \(counts.variants) variants "
            + "(\(counts.bytes) bytes) from disk, \(counts.memory) from memory"
            + (counts.pending == true ? "; the disk cannot be used now: hidden until it can\n" : "\n")
    }

    private struct Counts: Decodable {
        var originals = 0
        var variants = 0
        var bytes = 0
        var memory = 0
        var pending: Bool?
    }
}
