import ArgumentParser
import Foundation
import Glibc
import LinuxSystem

/// `edgeprint stats`: prints the statistics of a running daemon.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Prints statistics of a running daemon: requests, caches, transfers, workers.",
        discussion: """
            Queries the admin listener. With --watch repeatedly, with rates per second since the previous output. \
            "Without origin" is the share of images served from memory, from disk or made from a cached original.

            EXAMPLES
              edgeprint stats
              edgeprint stats --watch 2
              edgeprint stats --json --admin unix:/run/edgeprint/admin.sock | jq .hitRatio

            EXIT STATUS
                0   success
                1   no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Flag(help: "Print the daemon's JSON object, one per line.")
    var json = false

    @Option(help: ArgumentHelp("Print again at this interval, with rates.", valueName: "seconds"))
    var watch: Double?

    @Option(help: ArgumentHelp("Stop --watch after printing this many times.", valueName: "number"))
    var count: Int?

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        if let watch, !(0.1...86_400).contains(watch) {
            throw ValidationError("--watch must be 0.1 to 86400 seconds.")
        }
        if let count, count < 1 || watch == nil {
            throw ValidationError("--count requires --watch and must be at least 1.")
        }
    }

    func run() throws {
        let time = SystemTime()
        let isScreen = isatty(STDOUT_FILENO) == 1 && watch != nil && !json
        try admin.ask { client in
            var before: (answer: JSONValue, at: Int64)?
            for number in 1... {
                let answer = try client.send("GET", "/stats")
                let at = time.monotonic
                if json {
                    try StandardOutput.write(answer)
                } else {
                    let now = try Self.parse(answer)
                    let seconds = before.map { Double(at - $0.at) / 1e9 } ?? 1
                    let table = StatisticsTable.all
                    let change = StatisticsChange(now, before: before?.answer, seconds: seconds, table: table)
                    let text = StatisticsLines(table, change).text
                    let gap = before == nil ? "" : isScreen ? "\u{1B}[H\u{1B}[J" : "\n"
                    try StandardOutput.write((isScreen && before == nil ? "\u{1B}[2J\u{1B}[H" : gap) + text)
                    before = (now, at)
                }
                guard let watch, number != count else { return }
                usleep(UInt32(clamping: Int(watch * 1e6)))
            }
        }
    }

    private static func parse(_ answer: String) throws -> JSONValue {
        guard let value = JSONValue(parsing: answer), value["version"] != nil else {
            throw AdminClient.Failure.refused(
                status: 200,
                detail: "unexpected response: the daemon may be a different release"
            )
        }
        return value
    }
}
