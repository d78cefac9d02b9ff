/// Writes the loop count of an AVIF sequence; libavif has a setting for it from 1.0 on.
///
/// ISO/IEC 14496-12 §8.6.6: an edit list with the repeat flag, and a track duration of all loops together.
enum SequenceLoop {
    /// The bytes of an edit list of one entry in its container.
    private static let editsSize = 8 + 28

    /// Returns a file of libavif with an edit list in each track; `nil` if its box layout is not the expected one.
    static func added(to file: [UInt8], rounds: Int) -> [UInt8]? {
        let top = children(of: file, in: 0..<file.count)
        guard let movie = top.first(where: { $0.type == "moov" }), let data = top.first(where: { $0.type == "mdat" }),
            movie.whole.upperBound <= data.whole.lowerBound
        else { return nil }
        var file = file
        let tracks = children(of: file, in: movie.content).filter { $0.type == "trak" }
        let growth = editsSize * tracks.count
        // Offsets first, while the boxes are at their original positions.
        for track in tracks {
            guard move(&file, offsetsIn: track.content, by: growth) else { return nil }
        }
        if let metadata = top.first(where: { $0.type == "meta" }) {
            guard move(&file, itemsIn: metadata.content, by: growth) else { return nil }
        }
        for track in tracks.reversed() {
            guard let header = children(of: file, in: track.content).first(where: { $0.type == "tkhd" }),
                file[header.content.lowerBound] == 1
            else { return nil }
            // Version 1: the duration follows two times, the track's number and a reserved word.
            let duration = header.content.lowerBound + 28
            let once = file.number(at: duration, bytes: 8)
            file.put(once * rounds, at: duration, bytes: 8)
            file.put(track.whole.count + editsSize, at: track.whole.lowerBound, bytes: 4)
            file.insert(contentsOf: edits(duration: once), at: header.whole.upperBound)
        }
        file.put(movie.whole.count + growth, at: movie.whole.lowerBound, bytes: 4)
        return file
    }

    private static func edits(duration: Int) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { UInt32(truncatingIfNeeded: value).octets }
        let list = Array("elst".utf8) + word(1) + word(1) + word(duration) + word(0) + word(0x1_0000)
        return word(editsSize) + Array("edts".utf8) + word(list.count + 4) + list
    }

    /// Moves the chunk offsets of a track (§8.7.5).
    private static func move(_ file: inout [UInt8], offsetsIn track: Range<Int>, by growth: Int) -> Bool {
        var place = track
        for name in ["mdia", "minf", "stbl", "stco"] {
            guard let box = children(of: file, in: place).first(where: { $0.type == name }) else { return false }
            place = box.content
        }
        for index in 0..<file.number(at: place.lowerBound + 4, bytes: 4) {
            let offset = place.lowerBound + 8 + 4 * index
            guard offset + 4 <= place.upperBound else { return false }
            file.put(file.number(at: offset, bytes: 4) + growth, at: offset, bytes: 4)
        }
        return true
    }

    /// Moves the item offsets of a `meta` box (§8.11.3), which count from the start of the file.
    private static func move(_ file: inout [UInt8], itemsIn metadata: Range<Int>, by growth: Int) -> Bool {
        let boxes = children(of: file, in: metadata.lowerBound + 4..<metadata.upperBound)
        guard let locations = boxes.first(where: { $0.type == "iloc" })?.content, file[locations.lowerBound] == 0,
            // Offsets and lengths of four bytes, no base.
            file.number(at: locations.lowerBound + 4, bytes: 2) == 0x4400
        else { return false }
        var position = locations.lowerBound + 8
        for _ in 0..<file.number(at: locations.lowerBound + 6, bytes: 2) {
            guard position + 6 <= locations.upperBound else { return false }
            let extents = file.number(at: position + 4, bytes: 2)
            position += 6
            for _ in 0..<extents {
                guard position + 8 <= locations.upperBound else { return false }
                file.put(file.number(at: position, bytes: 4) + growth, at: position, bytes: 4)
                position += 8
            }
        }
        return true
    }

    private struct Box {
        var type: String
        var whole: Range<Int>
        var content: Range<Int> { whole.lowerBound + 8..<whole.upperBound }
    }

    /// Returns the boxes in a range; lengths of 64 bits and open ends, which libavif does not write, end the list.
    private static func children(of file: [UInt8], in range: Range<Int>) -> [Box] {
        var boxes: [Box] = []
        var position = range.lowerBound
        while position + 8 <= range.upperBound {
            let length = file.number(at: position, bytes: 4)
            guard length >= 8, position + length <= range.upperBound else { break }
            let type = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
            boxes.append(Box(type: type, whole: position..<position + length))
            position += length
        }
        return boxes
    }
}

extension [UInt8] {
    /// Reads a number, most significant byte first; the range must be valid.
    fileprivate func number(at offset: Int, bytes: Int) -> Int {
        self[offset..<offset + bytes].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Overwrites a number, most significant byte first.
    fileprivate mutating func put(_ value: Int, at offset: Int, bytes: Int) {
        for index in 0..<bytes { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - index))) }
    }
}
