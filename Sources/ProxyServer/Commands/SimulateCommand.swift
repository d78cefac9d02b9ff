import ArgumentParser
import Foundation
import Glibc
import LinuxSystem

/// `edgeprint simulate`: predicts hit ratio and disk need by replaying an access log.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Predicts hit ratio and disk need from an access log.",
        discussion: """
            Replays the requests of a log against caches of given sizes, with the eviction of the daemon and without a \
            daemon. A log is Edgeprint's own in JSON, or one in the common or combined format of a server in front of it. \
            Every cache starts empty; --warm-up leaves requests at the beginning out of the result. The configuration \
            tells which sources are raw, and the sizes that are not given.

            Hits are requests that need no origin: from memory, from disk, or made from an original on disk. Freshness and \
            purges are not simulated. "Stored" is what the quotas count, "on disk" an estimate with blocks and index.

            EXAMPLES
              edgeprint simulate --log access.log
              edgeprint simulate --log access.log --cache 10GiB --cache 20GiB --cache 40GiB --memory 1GiB
              zcat access.log.*.gz | edgeprint simulate --log - --cache 20GiB --json

            EXIT STATUS
                0   success; lines that cannot be read are counted and reported
                1   no such file, no request in it, too many different images, or an invalid configuration
                64  invalid command line
            """
    )

    @Option(help: ArgumentHelp("The access log; - for standard input.", valueName: "file"), completion: .file())
    var log: String

    @Option(
        help: ArgumentHelp(
            "Disk quota, shared by originals and variants as configured; may be repeated (default: as configured).",
            valueName: "size"
        ),
        transform: { try Self.size($0, "--cache", from: 2 << 20) }
    )
    var cache: [Int] = []

    @Option(
        help: ArgumentHelp("Size of the memory cache; may be repeated (default: as configured).", valueName: "size"),
        transform: { try Self.size($0, "--memory", from: 0) }
    )
    var memory: [Int] = []

    @Option(
        help: ArgumentHelp("Size of originals that the log tells nothing about.", valueName: "size"),
        transform: { try Self.size($0, "--original", from: 1) }
    )
    var original = 1 << 20

    @Option(help: ArgumentHelp("Requests that fill the caches and are not counted.", valueName: "number"))
    var warmUp = 0

    @Option(help: ArgumentHelp("Replay one original in this many, for logs of many images.", valueName: "number"))
    var sample = 1

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    /// The longest line, in bytes.
    private static let longestLine = 64 << 10
    /// The largest number of caches.
    private static let mostCaches = 16

    func validate() throws {
        guard (0...1_000_000_000_000).contains(warmUp) else { throw ValidationError("--warm-up must be at least 0.") }
        guard (1...100_000).contains(sample) else { throw ValidationError("--sample must be 1 to 100000.") }
        guard max(1, cache.count) * max(1, memory.count) <= Self.mostCaches else {
            throw ValidationError("--cache and --memory name more than \(Self.mostCaches) combinations.")
        }
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let configuration = try loader.loadOrExit()
        do {
            let replay = try replay(configuration)
            guard replay.replayed > 0 || replay.counts.warmUp > 0 else {
                let problem =
                    replay.counts.unreadable > 0
                    ? "line \(replay.counts.firstUnreadable) is neither of an access log in JSON (log.format: json) nor in the "
                        + "common format, and no other line has a request for stored content"
                    : "there is no request for stored content"
                throw LogReplay.Problem(description: "\(log): \(problem)")
            }
            let report = ReplayReport(name: log, replay: replay)
            try StandardOutput.write(json ? report.json.document : report.text)
        } catch let problem as LogReplay.Problem {
            StandardError.write("edgeprint: \(problem)\n")
            throw ExitCode(1)
        }
    }

    private func replay(_ configuration: Configuration) throws -> LogReplay {
        let descriptor = log == "-" ? STDIN_FILENO : unsafe open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LogReplay.Problem(description: "\(log): \(Errno(errno, "open"))") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var settings = LogReplay.Settings(sizes: sizes(configuration))
        settings.sources = ReplaySource.all(configuration)
        (settings.original, settings.warmUp, settings.sampling) = (original, warmUp, sample)
        var replay = LogReplay(settings)
        var reader = LineReader(descriptor: descriptor, bound: Self.longestLine)
        var progress = ProgressLine(total: ProgressLine.length(of: descriptor), unit: .bytes)
        var read = 0
        while let line = reader.next() {
            read += line.bytes.count + 1
            do throws(LogReplay.Problem) {
                try replay.add(line.bytes, isCut: line.isCut)
            } catch {
                progress.clear()
                throw error
            }
            if replay.counts.lines.isMultiple(of: 1_000) { progress.show(read, "\(replay.counts.lines) lines") }
        }
        progress.clear()
        return replay
    }

    /// The sizes of all caches: each of `--cache` with each of `--memory`.
    private func sizes(_ configuration: Configuration) -> [SimulatedCache.Sizes] {
        let (originals, variants) = (configuration.cache.originals, configuration.cache.variants)
        let isOff = !configuration.cache.hasDisk && cache.isEmpty
        let quotas = cache.isEmpty ? [isOff ? 0 : originals + variants] : cache
        let memories = memory.isEmpty ? [configuration.memoryPlan.cache] : memory
        return quotas.flatMap { quota in
            memories.map { memory in
                var sized = configuration
                sized.cache.memorySize = .bytes(memory)
                let shares = sized.memoryShares
                let part = Int(Double(quota) * (Double(originals) / Double(originals + variants)))
                return SimulatedCache.Sizes(
                    pictures: shares.pictures,
                    raw: shares.raw,
                    originals: part,
                    variants: quota - part
                )
            }
        }
    }

    private static func size(_ text: String, _ name: String, from least: Int) throws -> Int {
        guard let bytes = ScaledNumber.parse(text, units: ScaledNumber.sizes, bare: 1),
            (least...1 << 50).contains(bytes)
        else {
            let from = least > 0 ? ", from \(ScaledNumber.text(least, units: ScaledNumber.sizes))" : ""
            throw ValidationError("\(name) '\(text)' is not a size such as 20GiB\(from).")
        }
        return bytes
    }
}
