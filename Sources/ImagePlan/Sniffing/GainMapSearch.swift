/// Finds the gain map of a JPEG: a second image after the first, which states how much brighter each place is on a display that can
/// show more than white.
///
/// The image is found by the index of a multi-picture file (CIPA DC-007), and is a gain map if it says so itself, in XMP (Adobe's
/// specification 1.0, which Ultra HDR uses) or in an APP2 segment (ISO 21496-1). Trusts no length or offset, and takes a bounded
/// number of steps. Apple's maps, whose meaning is in the maker note of the first image, are not found.
package struct GainMapSearch {
    private var file: FileProbe

    /// The namespace of the XMP properties.
    package static let namespace = "http://ns.adobe.com/hdr-gain-map/1.0/"
    /// The identifier of an APP2 segment with metadata of ISO 21496-1 (annex C), with the 0 that ends it.
    package static let identifier = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
    /// The identifier of an APP1 segment with XMP (ISO 16684-3 §5), with the 0 that ends it.
    package static let packetIdentifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    /// The most images in an index that are looked at, besides the first.
    private static let maximumImages = 15
    /// The maximum number of bytes to read: many times what a camera's file takes.
    private static let budget = 512 << 10
    /// The most entries of the index's directory.
    private static let maximumEntries = 64

    /// A gain map as it was found; nothing but its place has been checked.
    package struct Finding: Hashable, Sendable {
        /// The image's place in the file.
        package let range: Range<Int>
        /// The XMP packet of the image; `nil` without one about a gain map.
        package let packet: [UInt8]?
        /// The content of the segment of ISO 21496-1, after the identifier; `nil` without one.
        package let segment: [UInt8]?
    }

    /// Returns the gain map of a JPEG; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - length: the length of the file, or of what has arrived of it, in bytes.
    ///   - read: returns the bytes of a range within that length; `nil` if they cannot be read.
    package static func find(length: Int, read: @escaping (Range<Int>) -> [UInt8]?) -> Finding? {
        var search = GainMapSearch(file: FileProbe(length: length, budget: budget, read: read))
        var end = 0
        // An index may name one place many times.
        for image in search.images().sorted(by: { $0.lowerBound < $1.lowerBound }) where image.lowerBound >= end {
            if let found = search.finding(in: image) { return found }
            end = image.upperBound
        }
        return nil
    }

    /// The images after the first that the index names, within the file (CIPA DC-007 §5.2.3).
    private mutating func images() -> [Range<Int>] {
        var walk = JPEGSegmentWalk(from: 0)
        while let segment = walk.next(in: &file) {
            guard segment.marker == 0xE2, file.has("MPF\0", at: segment.content.lowerBound) else { continue }
            return images(index: segment.content.lowerBound + 4)
        }
        return []
    }

    /// - Parameter start: the TIFF header of the index, from which its offsets count.
    private mutating func images(index start: Int) -> [Range<Int>] {
        guard let order = file.bigEndian(at: start, bytes: 2), order == 0x4949 || order == 0x4D4D else { return [] }
        let isLittle = order == 0x4949
        guard let directory = number(start + 4, 4, isLittle), let count = number(start + directory, 2, isLittle) else {
            return []
        }
        for index in 0..<min(count, Self.maximumEntries) {
            let entry = start + directory + 2 + 12 * index
            // MP Entry: 16 bytes for each image.
            guard number(entry, 2, isLittle) == 0xB002 else { continue }
            guard let bytes = number(entry + 4, 4, isLittle), let place = number(entry + 8, 4, isLittle) else { break }
            return (0...min(bytes / 16, Self.maximumImages)).dropFirst().compactMap { image in
                guard image < bytes / 16, let size = number(start + place + 16 * image + 4, 4, isLittle),
                    let offset = number(start + place + 16 * image + 8, 4, isLittle), offset > 0,
                    start + offset <= file.length, size <= file.length - start - offset,
                    file.bigEndian(at: start + offset, bytes: 2) == 0xFFD8
                else { return nil }
                return start + offset..<start + offset + size
            }
        }
        return []
    }

    private mutating func number(_ offset: Int, _ bytes: Int, _ isLittle: Bool) -> Int? {
        isLittle ? file.littleEndian(at: offset, bytes: bytes) : file.bigEndian(at: offset, bytes: bytes)
    }

    /// What an image says about a gain map; `nil` if it says nothing.
    private mutating func finding(in image: Range<Int>) -> Finding? {
        var walk = JPEGSegmentWalk(from: image.lowerBound)
        var packet: [UInt8]?
        var segment: [UInt8]?
        while packet == nil || segment == nil, let found = walk.next(in: &file),
            found.content.upperBound <= image.upperBound
        {
            if packet == nil, found.marker == 0xE1, let text = content(of: found.content, after: Self.packetIdentifier)
            {
                packet = text.contains(text: Self.namespace) ? text : nil
            } else if segment == nil, found.marker == 0xE2 {
                segment = content(of: found.content, after: Self.identifier)
            }
        }
        return packet == nil && segment == nil ? nil : Finding(range: image, packet: packet, segment: segment)
    }

    /// The content of a segment after its identifier; `nil` if it begins with another.
    private mutating func content(of segment: Range<Int>, after identifier: [UInt8]) -> [UInt8]? {
        guard segment.count >= identifier.count,
            file.bytes(at: segment.lowerBound, count: identifier.count)?.elementsEqual(identifier) == true
        else { return nil }
        let start = segment.lowerBound + identifier.count
        return file.bytes(at: start, count: segment.upperBound - start).map { Array($0) }
    }
}
