import ImagePlan

/// The result of a replay, as a table and as JSON.
struct ReplayReport {
    /// The name of the log.
    let name: String
    let replay: LogReplay

    /// A summary of the log, a row for each cache, and what was left out.
    var text: String {
        let (counts, catalogue) = (replay.counts, replay.catalogue)
        let scale = replay.settings.sampling
        var lines = [
            "\(Printing.plain(name)): \(Printing.count(counts.lines, "line")), "
                + "\(Printing.count(replay.replayed, "request")) replayed, for "
                + "\(Printing.count(catalogue.responseCount, "response")) of "
                + "\(Printing.count(catalogue.originalCount, "original")); all responses together have "
                + Printing.size(catalogue.responseBytes.multipliedSaturated(by: scale))
        ]
        lines += notes.map { "  \($0)" } + [""]
        let rows = [Self.titles] + zip(replay.settings.sizes, replay.caches).map { Self.row($0, $1, scale: scale) }
        let widths = Self.titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        lines += rows.map { row in
            zip(row, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }.joined(separator: "  ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What the numbers do not contain.
    private var notes: [String] {
        let (counts, catalogue) = (replay.counts, replay.catalogue)
        var notes: [String] = []
        if counts.unreadable > 0 {
            notes.append(
                "\(Printing.count(counts.unreadable, "line")) left out: neither JSON of an access log nor the common "
                    + "format, the first is line \(counts.firstUnreadable)"
            )
        }
        if counts.others > 0 {
            notes.append("\(Printing.count(counts.others, "request")) left out: not for stored content")
        }
        if counts.unsized > 0 {
            notes.append("\(Printing.count(counts.unsized, "request")) left out: no response told the size before")
        }
        if counts.unsampled > 0 {
            notes.append(
                "\(Printing.count(counts.unsampled, "request")) left out: one original in \(replay.settings.sampling)"
            )
        }
        if counts.warmUp > 0 {
            notes.append("\(Printing.count(counts.warmUp, "request")) filled the caches and are not counted")
        }
        if catalogue.assumedCount > 0 {
            notes.append(
                "\(Printing.count(catalogue.assumedCount, "original")) of unknown size, assumed to have "
                    + "\(Printing.size(replay.settings.original)) (--original)"
            )
        }
        return notes
    }

    private static let titles = [
        "cache", "memory", "hits", "of bytes", "from memory", "from disk", "from originals", "stored", "on disk",
    ]

    private static func row(_ sizes: SimulatedCache.Sizes, _ cache: SimulatedCache, scale: Int) -> [String] {
        let (originals, variants) = (cache.originals, cache.variants)
        return [
            Printing.size(sizes.originals + sizes.variants), Printing.size(sizes.pictures + sizes.raw),
            percent(cache.hitRatio), percent(cache.byteHitRatio), percent(cache.share(of: .memory)),
            percent(cache.share(of: .disk)), percent(cache.share(of: .original)),
            Printing.size((originals.bytes + variants.bytes) * scale),
            Printing.size(originals.allocated(times: scale) + variants.allocated(times: scale)),
        ]
    }

    /// With one decimal.
    private static func percent(_ share: Double?) -> String {
        guard let share else { return "-" }
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// The counts, and a member of `caches` for each size.
    var json: JSONValue {
        let (counts, catalogue, scale) = (replay.counts, replay.catalogue, replay.settings.sampling)
        return .object([
            .init("log", .string(name)), .init("lines", .number(counts.lines)),
            .init("requests", .number(replay.replayed)), .init("unreadable", .number(counts.unreadable)),
            .init("firstUnreadable", counts.firstUnreadable == 0 ? .null : .number(counts.firstUnreadable)),
            .init("others", .number(counts.others)), .init("unsized", .number(counts.unsized)),
            .init("unsampled", .number(counts.unsampled)), .init("warmUp", .number(counts.warmUp)),
            .init("responses", .number(catalogue.responseCount)), .init("originals", .number(catalogue.originalCount)),
            .init("assumedOriginals", .number(catalogue.assumedCount)),
            .init("responseBytes", .number(catalogue.responseBytes.multipliedSaturated(by: scale))),
            .init("caches", .array(zip(replay.settings.sizes, replay.caches).map { Self.json($0, $1, scale: scale) })),
        ])
    }

    private static func json(_ sizes: SimulatedCache.Sizes, _ cache: SimulatedCache, scale: Int) -> JSONValue {
        func ratio(_ share: Double?) -> JSONValue { share.map { .decimal(($0 * 10_000).rounded() / 10_000) } ?? .null }
        func pool(_ quota: Int, _ pool: SimulatedPool) -> JSONValue {
            .object([
                .init("quota", .number(quota)), .init("bytes", .number(pool.bytes * scale)),
                .init("allocated", .number(pool.allocated(times: scale))),
                .init("entries", .number(pool.entries * scale)),
                .init("evictions", .number(pool.evictions * scale)),
            ])
        }
        let results = SimulatedCache.Answer.allCases.map { answer in
            JSONValue.Member("\(answer)", .number(cache[answer].requests))
        }
        return .object([
            .init("memory", .number(sizes.pictures + sizes.raw)),
            .init("originals", pool(sizes.originals, cache.originals)),
            .init("variants", pool(sizes.variants, cache.variants)), .init("hitRatio", ratio(cache.hitRatio)),
            .init("byteHitRatio", ratio(cache.byteHitRatio)), .init("results", .object(results)),
        ])
    }
}
