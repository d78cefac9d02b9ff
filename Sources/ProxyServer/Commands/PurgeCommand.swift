import ArgumentParser
import Foundation
import ImagePipeline

/// `edgeprint purge`: purges the caches of a running daemon.
struct PurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Purges originals and everything made from them from a running daemon.",
        discussion: """
            A URL is the path of a request (its query is ignored: all variants are purged), or the absolute URL of an \
            original. The command connects to the admin listener and returns when the bytes are gone from disk.

            With --soft nothing is removed. Originals become stale: the next request revalidates them, and if they are \
            unchanged, every size is kept.

            EXAMPLES
              edgeprint purge /photos/cat.jpg /photos/dog.jpg
              edgeprint purge https://photos.example.com/originals/cat.jpg --dry
              edgeprint purge --prefix /photos/2026/ --soft
              edgeprint purge --tag product-17 --tag product-18
              edgeprint purge --preset thumb
              edgeprint purge --older-than 30d
              edgeprint purge --source photos
              edgeprint purge --expired
              edgeprint purge --tier memory
              edgeprint purge /photos/cat.jpg --tier disk
              edgeprint purge --all --site shop
              edgeprint purge --all --json
              edgeprint purge /photos/cat.jpg --wait all

            In a cluster, every node purges. The command fails, with status 1, if the log of purges does not take the purge; it \
            is then applied on the one node that was asked.

            EXIT STATUS
                0   success, even if nothing was cached
                1   unknown source or preset, no response or a refusal by the daemon, or an invalid configuration
                64  invalid command line
            """
    )

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "url"))
    var urls: [String] = []

    @Option(
        help: ArgumentHelp("Paths or URLs with this prefix; may be repeated.", valueName: "path"),
        completion: .custom(SourceNames.completePath)
    )
    var prefix: [String] = []

    @Option(help: "Everything of a source; fetch for remote URLs.", completion: .custom(SourceNames.completeName))
    var source: String?

    @Option(help: "Originals with this tag (Cache-Tag, Surrogate-Key, xkey); may be repeated.")
    var tag: [String] = []

    @Option(help: "All variants of a preset; not the originals.", completion: .custom(PresetNames.complete))
    var preset: String?

    @Option(
        help: ArgumentHelp(
            "Originals not revalidated for this long, such as 12h or 30d.",
            valueName: "time"
        ),
        transform: { text in
            guard let seconds = PurgeOrder.age(text) else {
                throw ValidationError("'\(text)' is not a duration such as 90m, 12h or 30d.")
            }
            return seconds
        }
    )
    var olderThan: Int?

    @Flag(help: "Originals that are stale.")
    var expired = false

    @Option(help: "Clear only memory or disk: everything there, or what is selected.")
    var tier: StoredTier?

    @Option(help: "Only of this site; default for the sources at the file's top.")
    var site: String?

    @Flag(help: "Everything; with --site, everything of that site.")
    var all = false

    @Flag(help: "Mark as stale instead of removing.")
    var soft = false

    @Flag(name: [.customLong("dry"), .customLong("dry-run")], help: "Only count.")
    var dry = false

    @Option(help: "all: return only when all nodes of the cluster have purged.")
    var wait: String?

    @Flag(help: "Print one JSON object per purge.")
    var json = false

    @OptionGroup var admin: AdminOptions

    private var orders: [PurgeOrder] {
        var targets = urls.map { PurgeOrder.Target.url($0) } + prefix.map { .prefix($0) } + tag.map { .tags([$0]) }
        if let source { targets.append(.source(source)) }
        if let preset { targets.append(.preset(preset)) }
        if let olderThan { targets.append(.olderThan(olderThan)) }
        if expired { targets.append(.expired) }
        if all || (tier != nil && targets.isEmpty) { targets.append(.all) }
        return targets.map {
            PurgeOrder(target: $0, site: site, isSoft: soft, isDry: dry, tier: tier, waitsForAll: wait != nil)
        }
    }

    func validate() throws {
        let ways = [
            !urls.isEmpty, !prefix.isEmpty, source != nil, !tag.isEmpty, preset != nil, olderThan != nil, expired, all,
        ]
        let count = ways.count { $0 }
        guard count == 1 || count == 0 && tier != nil else {
            throw ValidationError(
                "Give URLs, or one of --prefix, --source, --tag, --preset, --older-than, --expired and --all."
            )
        }
        if soft, expired || tier != nil {
            throw ValidationError("--soft cannot be combined with --expired or --tier.")
        }
        if let wait {
            guard wait == "all" else { throw ValidationError("--wait must be all.") }
            if dry || tier != nil { throw ValidationError("--wait cannot be combined with --dry or --tier.") }
        }
        if soft, preset != nil {
            throw ValidationError("--soft marks originals, so it cannot be combined with --preset.")
        }
    }

    func run() throws {
        let orders = orders
        try admin.ask { client in
            var progress = ProgressLine(total: orders.count)
            defer { progress.clear() }
            for (done, order) in orders.enumerated() {
                progress.show(done, "\(dry ? "counting" : "purging") \(Printing.plain(PurgeLine.name(order.target)))")
                let answer = try client.send("POST", "/purge", body: order.json.text)
                progress.clear()
                try StandardOutput.write(json ? answer : PurgeLine(order, answer: answer).text)
            }
        }
    }
}

/// Formats the result of a purge.
private struct PurgeLine {
    let text: String

    init(_ order: PurgeOrder, answer: String) {
        let counts = (try? JSONDecoder().decode(Counts.self, from: Data(answer.utf8))) ?? Counts()
        let verb =
            switch (order.isSoft, order.isDry) {
            case (false, false): "removed"
            case (false, true): "would remove"
            case (true, false): "marked as stale"
            case (true, true): "would mark as stale"
            }
        let site = order.site.map { " of site \($0)" } ?? ""
        let place = order.isSoft ? "on disk, \(counts.memory) in memory" : "from disk, \(counts.memory) from memory"
        let pending = counts.pending == true ? "; the disk is unavailable: hidden until it works again" : ""
        text =
            "\(Self.name(order.target))\(site): \(verb) \(counts.originals) originals and \(counts.variants) variants "
            + "(\(counts.bytes) bytes) \(place)\(pending)\n"
    }

    static func name(_ target: PurgeOrder.Target) -> String {
        switch target {
        case .url(let url): url
        case .prefix(let text): "\(text)…"
        case .source(let name): "source \(name)"
        case .tags(let tags): "tag \(tags.joined(separator: " "))"
        case .preset(let name): "preset \(name)"
        case .olderThan(let seconds): "older than \(ScaledNumber.text(seconds, units: ScaledNumber.seconds))"
        case .expired: "expired"
        case .all: "everything"
        }
    }

    private struct Counts: Decodable {
        var originals = 0
        var variants = 0
        var bytes = 0
        var memory = 0
        var pending: Bool?
    }
}

extension StoredTier: ExpressibleByArgument {}
