/// JPEGs with a gain map, as Adobe's specification 1.0, ISO 21496-1 and CIPA DC-007 describe them; written for tests only.
package enum UltraHDR {
    /// XMP of a gain map in one channel: gains from ½ to 8.
    package static let properties = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        dc:creator="somebody" hdrgm:Version="1.0" hdrgm:GainMapMin="-1" hdrgm:GainMapMax="3" hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015625"
        hdrgm:OffsetHDR="0.015625" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="3" hdrgm:BaseRenditionIsHDR="False"/>
        </rdf:RDF></x:xmpmeta>
        """

    /// The same as the content of a segment of ISO 21496-1, after its identifier.
    package static let segment: [UInt8] =
        [0, 0, 0, 0, 0] + fraction(0) + fraction(3) + fraction(-1) + fraction(3) + fraction(1) + fraction(1, 64)
        + fraction(1, 64)

    /// The content of a segment whose picture is the brighter one: the headrooms are exchanged.
    package static let backwardSegment: [UInt8] = Array(segment[..<5]) + fraction(3) + fraction(0) + segment[21...]

    private static func fraction(_ numerator: Int, _ denominator: Int = 1) -> [UInt8] {
        word(numerator) + word(denominator)
    }

    private static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// A marker segment.
    package static func marker(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    /// Adds metadata to the gain map's own image.
    package static func map(_ jpeg: [UInt8], properties: String? = properties, segment: [UInt8]? = segment) -> [UInt8] {
        let packet =
            properties.map { marker(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array($0.utf8)) } ?? []
        let iso = segment.map { marker(0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + $0) } ?? []
        return Array(jpeg[..<2]) + packet + iso + jpeg[2...]
    }

    /// Joins a picture and a second image by a little-endian index.
    ///
    /// - Parameters:
    ///   - offset: what is added to the true offset of the second image.
    ///   - length: its length as stated; `nil` for the true one.
    package static func file(_ picture: [UInt8], _ map: [UInt8], offset: Int = 0, length: Int? = nil) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { word(value).reversed() }
        func index(_ start: Int) -> [UInt8] {
            // The segment begins after the first marker, its TIFF header 8 bytes later.
            let images =
                little(0x03_0000) + little(start) + little(0) + little(0)
                + little(0) + little(length ?? map.count) + little(start - 10 + offset) + little(0)
            let entries: [UInt8] =
                [0x00, 0xB0, 7, 0] + little(4) + Array("0100".utf8) + [0x01, 0xB0, 4, 0] + little(1) + little(2)
                + [0x02, 0xB0, 7, 0] + little(32) + little(50)
            return marker(0xE2, Array("MPF\0II".utf8) + [42, 0] + little(8) + [3, 0] + entries + little(0) + images)
        }
        let start = picture.count + index(0).count
        return Array(picture[..<2]) + index(start) + picture[2...] + map
    }
}

/// The two images of a multi-picture file, read independently of the project's own reader.
package struct TwoImages {
    package let first: [UInt8]
    package let second: [UInt8]
    /// The segments of both before their scans, with marker.
    package let firstSegments: [(marker: UInt8, content: [UInt8])]
    package let secondSegments: [(marker: UInt8, content: [UInt8])]

    /// Reads a big-endian index of two images; `nil` if there is none, or it does not state where both images are.
    package init?(_ file: [UInt8]) {
        func number(_ offset: Int, _ count: Int) -> Int {
            file[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        guard let mark = (0..<file.count - 8).first(where: { file[$0...].starts(with: Array("MPF\0MM".utf8)) }) else {
            return nil
        }
        let header = mark + 4
        let directory = header + number(header + 4, 4)
        let entries = (0..<number(directory, 2)).map { directory + 2 + 12 * $0 }
        guard entries.map({ number($0, 2) }) == [0xB000, 0xB001, 0xB002], number(entries[1] + 8, 4) == 2,
            number(entries[2] + 4, 4) == 32
        else { return nil }
        let images = header + number(entries[2] + 8, 4)
        let (length, offset) = (number(images + 4, 4), number(images + 8, 4))
        let second = (length: number(images + 20, 4), offset: header + number(images + 24, 4))
        // The first has the offset 0, and ends where the second begins, which ends the file.
        guard offset == 0, second.offset == length, length + second.length == file.count else { return nil }
        first = Array(file[..<length])
        self.second = Array(file[length...])
        for image in [first, self.second] where !image.starts(with: [0xFF, 0xD8]) || image.suffix(2) != [0xFF, 0xD9] {
            return nil
        }
        firstSegments = Self.segments(first)
        secondSegments = Self.segments(self.second)
    }

    private static func segments(_ image: [UInt8]) -> [(marker: UInt8, content: [UInt8])] {
        var found: [(marker: UInt8, content: [UInt8])] = []
        var position = 2
        while position + 4 <= image.count, image[position] == 0xFF, image[position + 1] != 0xDA {
            let end = position + 2 + Int(image[position + 2]) << 8 + Int(image[position + 3])
            guard end <= image.count else { break }
            found.append((image[position + 1], Array(image[(position + 4)..<end])))
            position = end
        }
        return found
    }

    /// The texts of XMP packets.
    package static func packets(_ segments: [(marker: UInt8, content: [UInt8])]) -> [String] {
        let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
        return segments.filter { $0.marker == 0xE1 && $0.content.starts(with: name) }.map {
            String(decoding: $0.content.dropFirst(name.count), as: UTF8.self)
        }
    }

    /// The contents of the segments of ISO 21496-1 after their identifier.
    package static func isoSegments(_ segments: [(marker: UInt8, content: [UInt8])]) -> [[UInt8]] {
        let name = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
        return segments.filter { $0.marker == 0xE2 && $0.content.starts(with: name) }.map {
            Array($0.content.dropFirst(name.count))
        }
    }
}
