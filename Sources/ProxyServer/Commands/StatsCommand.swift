import ArgumentParser
import Foundation
import Glibc
import LinuxSystem

/// The value of `--watch`.
///
/// It takes any text, since the parser replaces a value that its type refuses by the default.
struct WatchInterval: ExpressibleByArgument, CustomStringConvertible {
    let description: String

    /// The interval without a value.
    static let standard = Self(description: "2")

    /// Seconds, 0.1 to 86,400; `nil` for any other text.
    var seconds: Double? {
        Double(description).flatMap { (0.1...86_400).contains($0) ? $0 : nil }
    }

    private init(description: String) { self.description = description }

    init(argument: String) { self.init(description: argument) }
}

/// `edgeprint stats`: prints the statistics of a running daemon.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Prints statistics of a running daemon: requests, caches, transfers, workers.",
        discussion: """
            Queries the admin listener. With --watch repeatedly: on a terminal as a screen with rates, latencies, \
            sparklines and bars, otherwise as lines with rates per second since the previous ones. NO_COLOR turns \
            colours off. "Without origin" is the share of images served from memory, from disk or made from a cached \
            original.

            EXAMPLES
              edgeprint stats
              edgeprint stats --watch
              edgeprint stats --watch=10 > stats.txt
              edgeprint stats --json --admin unix:/run/edgeprint/admin.sock | jq .hitRatio

            EXIT STATUS
                0   success
                1   no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Flag(help: "Print the daemon's JSON object, one per line.")
    var json = false

    @Option(
        defaultAsFlag: WatchInterval.standard,
        // By default a value is ignored if another option follows.
        parsing: .next,
        help: ArgumentHelp("Show again at this interval, with rates.", valueName: "seconds")
    )
    var watch: WatchInterval?

    @Option(help: ArgumentHelp("Stop --watch after printing this many times.", valueName: "number"))
    var count: Int?

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        if let watch, watch.seconds == nil {
            throw ValidationError("--watch must be 0.1 to 86400 seconds, not '\(Printing.plain(watch.description))'.")
        }
        if let count, count < 1 || watch == nil {
            throw ValidationError("--count requires --watch and must be at least 1.")
        }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        if let watch = watch?.seconds, !json, TerminalLook.canDraw(environment) {
            try admin.ask(timeout: 5_000) { client in
                try StatsScreen(client: client, interval: watch, look: TerminalLook(environment)).run(count: count)
            }
        } else {
            try printLines()
        }
    }

    /// Prints lines or JSON, again at the interval of `--watch`.
    private func printLines() throws {
        let time = SystemTime()
        try admin.ask { client in
            var before: (answer: JSONValue, at: Int64)?
            for number in 1... {
                let answer = try client.send("GET", "/stats")
                let at = time.monotonic
                if json {
                    try StandardOutput.write(answer)
                } else {
                    let now = try AdminClient.object(answer, with: "version")
                    let seconds = before.map { Double(at - $0.at) / 1e9 } ?? 1
                    let table = StatisticsTable.all
                    let change = StatisticsChange(now, before: before?.answer, seconds: seconds, table: table)
                    try StandardOutput.write((before == nil ? "" : "\n") + StatisticsLines(table, change).text)
                    before = (now, at)
                }
                guard let watch = watch?.seconds, number != count else { return }
                Thread.sleep(forTimeInterval: watch)
            }
        }
    }
}
