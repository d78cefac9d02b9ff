/// The image track of an AVIF or HEIC sequence (ISO/IEC 14496-12 §8, ISO/IEC 23008-12 §7): frame count and playback.
package struct HEIFSequence: Hashable, Sendable {
    /// The number of frames, 1–100,000.
    package let frames: Int
    /// The duration of each frame in milliseconds; fewer than `frames` if the file does not say.
    package private(set) var delays: [Int] = []
    /// The loop count; 0 is for ever.
    package private(set) var rounds = 0

    /// The number of frames at which counting stops.
    private static let maximumFrames = 100_000
    /// The maximum number of tracks to visit.
    private static let maximumTracks = 64
    /// The major brands of files meant to be played; with any other, the still image is meant.
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

    /// Counts the frames of a file of which the beginning is available; 1 for a still.
    ///
    /// - Throws: `SniffStop.needsMore`.
    static func count(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Int {
        do throws(SniffStop) {
            guard let track = try track(bytes, of: total), let table = try sampleTable(bytes, of: total, in: track),
                let count = try count(bytes, of: total, in: table)
            else { return 1 }
            return max(1, count)
        } catch .malformed {
            // The still image does not depend on the track.
            return 1
        }
    }

    /// The first image track, skipping alpha planes, which have tracks of their own.
    private static func track(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Range<Int>? {
        guard brands.contains(where: { bytes.has($0, at: 8) }),
            let movie = try box("moov", bytes, of: total, in: 0..<total)
        else { return nil }
        var tracks: [Range<Int>] = []
        try BoxWalk.children(bytes, of: total, in: movie) { type, content in
            if type == BoxWalk.type("trak") { tracks.append(content) }
            return tracks.count < maximumTracks
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

    /// The number of samples in the sample size table (§8.7.3); `nil` if there is none.
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
        guard count * entryBits <= (sizes.count - 12) * 8 else {
            throw .malformed("the sample size table is truncated")
        }
        // Samples of a common size take at least a byte each.
        guard count <= total else { throw .malformed("the sample count exceeds the file size") }
        return min(count, maximumFrames)
    }

    /// The sample durations (§8.6.1.2), stored as runs of equal ones.
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

    /// The loop count (§8.6.6): the edit list states whether the track repeats, and the track header until when.
    ///
    /// Without an edit list, the track repeats for ever.
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

    /// A 32- or 64-bit duration; `nil` if it is unbounded, with all bits set.
    private static func duration(_ bytes: Span<UInt8>, at offset: Int, isWide: Bool) throws(SniffStop) -> Int? {
        guard isWide else {
            let value = try bytes.bigEndian(offset, bytes: 4, of: bytes.count)
            return value == 0xFFFF_FFFF ? nil : value
        }
        // No file is longer than 56 bits can express.
        guard try bytes.byte(offset, of: bytes.count) == 0 else { return nil }
        return try bytes.bigEndian(offset + 1, bytes: 7, of: bytes.count)
    }

    /// The content of the first box at a path of box types.
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
