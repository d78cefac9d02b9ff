import ImagePlan

/// A JPEG followed by its gain map, in the form of Ultra HDR: an index of both images (CIPA DC-007), and a directory in XMP.
struct GainMapContainer {
    /// The gain map as a JPEG with its metadata.
    let map: [UInt8]
    /// Whether the gain map has XMP, which the first image announces.
    let hasProperties: Bool
    /// Whether the gain map has a segment of ISO 21496-1, which the first image announces.
    let hasSegment: Bool

    /// The most bytes by which the file is longer than the first image.
    var added: Int { map.count + Self.mostAdded }

    /// The most bytes that are added to the first image.
    static let mostAdded = 1024
    /// The bytes of the index's segment after its length.
    private static let indexLength = 86

    /// Returns the file of an image and the gain map.
    ///
    /// The image's XMP packet gets another description; one without a place for it is replaced, as a file has only one packet.
    /// - Parameter picture: a JPEG, whose APP0 and APP1 segments come first.
    func joined(to picture: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = [0xFF, 0xD8]
        var packet: [UInt8]?
        var position = 2
        while position + 4 <= picture.count, picture[position] == 0xFF, picture[position + 1] & 0xFE == 0xE0 {
            let end = position + 2 + Int(picture[position + 2]) << 8 + Int(picture[position + 3])
            guard end <= picture.count else { break }
            let content = picture[(position + 4)..<end]
            if content.starts(with: GainMapSearch.packetIdentifier) {
                packet = Array(content.dropFirst(GainMapSearch.packetIdentifier.count))
            } else {
                kept += picture[position..<end]
            }
            position = end
        }
        if let packet = announced(in: packet) { kept += Self.segment(0xE1, GainMapSearch.packetIdentifier + packet) }
        // The least version that a reader must know, and the writer's.
        if hasSegment { kept += Self.segment(0xE2, GainMapSearch.identifier + [0, 0, 0, 0]) }
        // Offsets count from the TIFF header of the index, after marker, length and identifier.
        let header = kept.count + 8
        let length = kept.count + 4 + Self.indexLength + picture.count - position
        kept += Self.segment(0xE2, Self.index(lengths: [length, map.count], offset: length - header))
        return kept + picture[position...] + map
    }

    /// The XMP packet with a directory of both images; unchanged if the gain map has no XMP.
    private func announced(in packet: [UInt8]?) -> [UInt8]? {
        guard hasProperties else { return packet }
        let description = """
            <rdf:Description rdf:about="" xmlns:hdrgm="\(GainMapSearch.namespace)" hdrgm:Version="1.0" \
            xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
            Item:Length="\(map.count)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>
            """
        let added = packet.flatMap { XMPPacket(bytes: $0).adding(description) }
        guard let added, added.count <= Self.longestContent - GainMapSearch.packetIdentifier.count else {
            return XMPPacket.wrapped(description)
        }
        return added
    }

    /// The most bytes of a segment's content (ITU-T T.81 §B.1.1.4).
    private static let longestContent = 65_533

    /// Returns a marker segment.
    ///
    /// - Parameter content: at most 65,533 bytes.
    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + UInt16(content.count + 2).octets + content
    }

    /// The index of two images (CIPA DC-007 §5.2).
    ///
    /// - Parameter offset: where the second image begins, from the TIFF header on.
    private static func index(lengths: [Int], offset: Int) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { UInt32(truncatingIfNeeded: value).octets }
        func entry(_ tag: UInt8, type: UInt8, count: Int, _ value: [UInt8]) -> [UInt8] {
            [0xB0, tag, 0, type] + word(count) + value
        }
        // Big-endian, the directory after 8 bytes with 3 entries.
        let header: [UInt8] = Array("MPF\0MM".utf8) + [0, 42] + word(8) + [0, 3]
        let directory =
            entry(0x00, type: 7, count: 4, Array("0100".utf8)) + entry(0x01, type: 4, count: 1, word(lengths.count))
            // Their place: after the header, the directory, and the offset 0 of a next one.
            + entry(0x02, type: 7, count: 16 * lengths.count, word(8 + 2 + 3 * 12 + 4)) + word(0)
        // The first is the representative image; what the second is, DC-007 has no name for.
        let images =
            word(0x03_0000) + word(lengths[0]) + word(0) + word(0) + word(0) + word(lengths[1]) + word(offset) + word(0)
        return header + directory + images
    }
}
