/// The track of pictures in an AVIF or HEIC sequence (ISO/IEC 14496-12 §8, ISO/IEC 23008-12 §7): how many, and how they play.
package struct HEIFSequence: Hashable, Sendable {
    /// Pictures, 1–100,000.
    package let frames: Int
    /// Milliseconds that each is shown; fewer than `frames` where the file does not say.
    package private(set) var delays: [Int] = []
    /// Rounds; 0 is for ever.
    package private(set) var rounds = 0

    /// The most pictures that are counted.
    private static let mostFrames = 100_000
    /// Tracks that are looked at.
    private static let mostTracks = 64
    /// Brands of files that are to be played; with another as the first one, the still picture is meant.
    private static let brands = ["avis", "msf1", "hevc", "hevx", "hevm", "hevs"]

    /// Reads a whole file; `nil` for a still.
    package init?(_ bytes: Span<UInt8>) {
        let total = bytes.count
        guard let track = try? Self.track(bytes, of: total),
            let table = try? Self.sampleTable(bytes, of: total, in: track),
            let count = try? Self.count(bytes, of: total, in: table), count > 1
        else { return nil }
        frames = count
        delays = (try? Self.delays(bytes, of: total, of: count, in: track)) ?? []
        rounds = (try? Self.rounds(bytes, of: total, in: track)) ?? 0
    }

    /// Counts the pictures of a file whose beginning is at hand; 1 for a still.
    ///
    /// - Throws: `SniffStop.needsMore`.
    static func count(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Int {
        do throws(SniffStop) {
            guard let track = try track(bytes, of: total), let table = try sampleTable(bytes, of: total, in: track),
                let count = try count(bytes, of: total, in: table)
            else { return 1 }
            return max(1, count)
        } catch .malformed {
            // The still picture does not depend on the track.
            return 1
        }
    }

    /// The first track of pictures: not their alpha planes, which have one of their own.
    private static func track(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Range<Int>? {
        guard brands.contains(where: { bytes.has($0, at: 8) }),
            let movie = try box("moov", bytes, of: total, in: 0..<total)
        else { return nil }
        var tracks: [Range<Int>] = []
        try BoxWalk.children(bytes, of: total, in: movie) { type, content in
            if type == BoxWalk.type("trak") { tracks.append(content) }
            return tracks.count < mostTracks
        }
        for track in tracks {
            guard let handler = try box("mdia/hdlr", bytes, of: total, in: track) else { continue }
            let kind = try bytes.bigEndian(handler.lowerBound + 8, bytes: 4, of: min(total, handler.upperBound))
            if kind == BoxWalk.type("pict") || kind == BoxWalk.type("vide") { return track }
        }
        return nil
    }

    private static func sampleTable(
        _ bytes: Span<UInt8>,
        of total: Int,
        in track: Range<Int>
    ) throws(SniffStop) -> Range<Int>? {
        try box("mdia/minf/stbl", bytes, of: total, in: track)
    }

    /// §8.7.3: how many samples the table of their sizes has; `nil` where there is none.
    private static func count(
        _ bytes: Span<UInt8>,
        of total: Int,
        in table: Range<Int>
    ) throws(SniffStop) -> Int? {
        let entryBits: Int
        let sizes: Range<Int>
        if let box = try box("stsz", bytes, of: total, in: table) {
            let common = try bytes.bigEndian(box.lowerBound + 4, bytes: 4, of: box.upperBound)
            (sizes, entryBits) = (box, common == 0 ? 32 : 0)
        } else if let box = try box("stz2", bytes, of: total, in: table) {
            (sizes, entryBits) = (box, try bytes.byte(box.lowerBound + 7, of: box.upperBound))
        } else {
            return nil
        }
        let count = try bytes.bigEndian(sizes.lowerBound + 8, bytes: 4, of: sizes.upperBound)
        guard count * entryBits <= (sizes.count - 12) * 8 else { throw .malformed("a table of sizes ends early") }
        // Samples of one size take a byte each at least.
        guard count <= total else { throw .malformed("there are more pictures than bytes") }
        return min(count, mostFrames)
    }

    /// §8.6.1.2: runs of samples that take equally long.
    private static func delays(
        _ bytes: Span<UInt8>,
        of total: Int,
        of frames: Int,
        in track: Range<Int>
    ) throws(SniffStop) -> [Int] {
        guard let header = try box("mdia/mdhd", bytes, of: total, in: track),
            let runs = try box("mdia/minf/stbl/stts", bytes, of: total, in: track)
        else { return [] }
        let isWide = try bytes.byte(header.lowerBound, of: header.upperBound) == 1
        let offset = header.lowerBound + (isWide ? 20 : 12)
        let scale = try bytes.bigEndian(offset, bytes: 4, of: header.upperBound)
        guard scale > 0 else { return [] }
        var delays: [Int] = []
        var position = runs.lowerBound + 8
        while delays.count < frames, position + 8 <= runs.upperBound {
            let count = try bytes.bigEndian(position, bytes: 4, of: total)
            let ticks = try bytes.bigEndian(position + 4, bytes: 4, of: total)
            let milliseconds = (ticks * 1000 + scale / 2) / scale
            delays += Array(repeating: milliseconds, count: min(count, frames - delays.count))
            position += 8
        }
        return delays
    }

    /// How often the track is played (§8.6.6): an edit list says whether it is repeated, and the track's header until when.
    ///
    /// Without an edit list it is repeated for ever.
    private static func rounds(_ bytes: Span<UInt8>, of total: Int, in track: Range<Int>) throws(SniffStop) -> Int {
        guard let edits = try box("edts/elst", bytes, of: total, in: track),
            let header = try box("tkhd", bytes, of: total, in: track)
        else { return 0 }
        guard try bytes.byte(edits.lowerBound + 3, of: edits.upperBound) & 1 == 1 else { return 1 }
        let one = try duration(bytes, at: edits.lowerBound + 8, isWide: bytes.byte(edits.lowerBound, of: total) == 1)
        let isWide = try bytes.byte(header.lowerBound, of: header.upperBound) == 1
        let all = try duration(bytes, at: header.lowerBound + (isWide ? 28 : 20), isWide: isWide)
        guard let one, let all, one > 0 else { return 0 }
        return max(1, (all + one - 1) / one)
    }

    /// A duration of 32 or 64 bits; `nil` for one without end, whose bits are all set.
    private static func duration(_ bytes: Span<UInt8>, at offset: Int, isWide: Bool) throws(SniffStop) -> Int? {
        guard isWide else {
            let value = try bytes.bigEndian(offset, bytes: 4, of: bytes.count)
            return value == 0xFFFF_FFFF ? nil : value
        }
        // What does not fit into 56 bits is longer than any file.
        guard try bytes.byte(offset, of: bytes.count) == 0 else { return nil }
        return try bytes.bigEndian(offset + 1, bytes: 7, of: bytes.count)
    }

    /// The content of the first box on a path of names.
    private static func box(
        _ path: String,
        _ bytes: Span<UInt8>,
        of total: Int,
        in range: Range<Int>
    ) throws(SniffStop) -> Range<Int>? {
        var place = range
        for name in path.split(separator: "/") {
            let type = BoxWalk.type(String(name))
            var found: Range<Int>?
            try BoxWalk.children(bytes, of: total, in: place) { kind, content in
                if kind == type { found = content }
                return found == nil
            }
            guard let found else { return nil }
            place = found
        }
        return place
    }
}
