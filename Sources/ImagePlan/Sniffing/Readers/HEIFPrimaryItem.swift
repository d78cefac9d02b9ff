/// The properties of a HEIF file's primary item, from its `meta` box.
///
/// The whole box must be available; its numbers are checked against its own end.
struct HEIFPrimaryItem {
    /// The visible part of the stored image; `nil` if the file states no size.
    private(set) var placement: HEIFPlacement?
    /// Whether an auxiliary image is an alpha plane.
    private(set) var hasAlpha = false
    /// Whether the colours have been multiplied by alpha (`prem`).
    private(set) var isPremultiplied = false
    /// Whether the stored image has one channel besides alpha.
    private(set) var isGrey = false
    /// The colour description from a `colr` box of type `nclx`, if there is one.
    private(set) var colour: HEIFColour?

    private static let maximumProperties = 4096

    /// The positions of the transformative properties of the image and its auxiliary images.
    private(set) var transformations = TransformationPlaces()

    /// Positions in the file that make a decoder transform the image.
    struct TransformationPlaces {
        /// Offsets of the properties' four-letter types.
        var types: Set<Int> = []
        /// Offsets of bytes whose top bit marks a transformative property as essential.
        var flags: [Int] = []
    }

    /// A property of an item, as far as it matters here.
    private enum Property {
        case extent(PixelSize)
        /// Anticlockwise quarter turns.
        case rotation(Int)
        /// 0 swaps top and bottom, 1 left and right.
        case mirror(Int)
        case aperture(CleanAperture)
        case auxiliary
        case colour(HEIFColour)
        /// The configuration of AV1 or HEVC.
        case codec(isGrey: Bool)
        case other

        var isTransformation: Bool {
            switch self {
            case .rotation, .mirror, .aperture: true
            case .extent, .colour, .auxiliary, .codec, .other: false
            }
        }
    }

    private var identifier: Int?
    private var properties: [(property: Property, typeOffset: Int)] = []
    private var associations: [Int] = []
    /// Whether items other than the primary one and auxiliary images, such as the tiles of a grid, have one channel.
    private var otherCodecs: Set<Bool> = []

    /// Reads the boxes within `meta`.
    mutating func read(_ bytes: Span<UInt8>, in range: Range<Int>) throws(SniffStop) {
        var containers: [Range<Int>] = []
        var references: Range<Int>?
        var primary: Int?
        try BoxWalk.children(bytes, of: bytes.count, in: range) { (type, content) throws(SniffStop) in
            switch type {
            case BoxWalk.type("pitm"):
                // A full box: version 0 has 16 bits, later versions 32.
                let wide = try bytes.byte(content.lowerBound, of: content.upperBound) > 0
                primary = try bytes.bigEndian(
                    content.lowerBound + 4,
                    bytes: wide ? 4 : 2,
                    of: content.upperBound
                )
            case BoxWalk.type("iprp"):
                containers.append(content)
            case BoxWalk.type("iref"):
                references = content
            default:
                break
            }
            return true
        }
        identifier = primary
        if let references { isPremultiplied = (try? multipliesByAlpha(bytes, in: references)) ?? false }
        guard let container = containers.first else { throw .malformed("the file has no iprp box") }
        try readProperties(bytes, in: container)
        try resolve()
    }

    /// Whether the item refers to its alpha plane with `prem`, in an `iref` box (ISO/IEC 14496-12 §8.11.12).
    private func multipliesByAlpha(_ bytes: Span<UInt8>, in references: Range<Int>) throws(SniffStop) -> Bool {
        guard references.count >= 4 else { return false }
        // A full box: version 0 has identifiers of 16 bits, later versions of 32.
        let isWide = try bytes.byte(references.lowerBound, of: references.upperBound) > 0
        let boxes = references.lowerBound + 4..<references.upperBound
        var found = false
        try BoxWalk.children(bytes, of: bytes.count, in: boxes) { (type, content) throws(SniffStop) in
            if type == BoxWalk.type("prem") {
                let item = try bytes.bigEndian(content.lowerBound, bytes: isWide ? 4 : 2, of: content.upperBound)
                found = item == identifier
            }
            return !found
        }
        return found
    }

    private mutating func readProperties(_ bytes: Span<UInt8>, in range: Range<Int>) throws(SniffStop) {
        var lists: [Range<Int>] = []
        var maps: [Range<Int>] = []
        try BoxWalk.children(bytes, of: bytes.count, in: range) { type, content in
            if type == BoxWalk.type("ipco") { lists.append(content) }
            if type == BoxWalk.type("ipma") { maps.append(content) }
            return true
        }
        for list in lists.prefix(1) { try readPropertyList(bytes, in: list) }
        for map in maps.prefix(8) { try readAssociations(bytes, in: map) }
    }

    private mutating func readPropertyList(_ bytes: Span<UInt8>, in range: Range<Int>) throws(SniffStop) {
        var found: [(Property, Int)] = []
        var alpha = false
        var start = range.lowerBound
        try BoxWalk.children(bytes, of: bytes.count, in: range) { (type, content) throws(SniffStop) in
            var property = Property.other
            switch type {
            case BoxWalk.type("ispe"):
                let width = try bytes.bigEndian(content.lowerBound + 4, bytes: 4, of: content.upperBound)
                let height = try bytes.bigEndian(content.lowerBound + 8, bytes: 4, of: content.upperBound)
                property = .extent(PixelSize(width: width, height: height))
            case BoxWalk.type("irot"):
                property = .rotation(try bytes.byte(content.lowerBound, of: content.upperBound) & 3)
            case BoxWalk.type("imir"):
                property = .mirror(try bytes.byte(content.lowerBound, of: content.upperBound) & 1)
            case BoxWalk.type("clap"):
                property = .aperture(try CleanAperture(bytes, in: content))
            case BoxWalk.type("colr"):
                if let colour = HEIFColour(bytes, in: content) { property = .colour(colour) }
            case BoxWalk.type("av1C"):
                // AV1 ISOBMFF §2.3.3: monochrome.
                if let flags = try? bytes.byte(content.lowerBound + 2, of: content.upperBound) {
                    property = .codec(isGrey: flags & 0x10 != 0)
                }
            case BoxWalk.type("hvcC"):
                // ISO/IEC 14496-15 §8.3.3.1: chromaFormat, 0 for one channel.
                if let format = try? bytes.byte(content.lowerBound + 16, of: content.upperBound) {
                    property = .codec(isGrey: format & 3 == 0)
                }
            case BoxWalk.type("auxC"):
                property = .auxiliary
                let name = content.lowerBound + 4
                if bytes.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: name)
                    || bytes.has("urn:mpeg:hevc:2015:auxid:1", at: name)
                {
                    alpha = true
                }
            default:
                break
            }
            found.append((property, start + 4))
            start = content.upperBound
            return found.count < Self.maximumProperties
        }
        properties = found
        hasAlpha = alpha
    }

    /// ISO/IEC 23008-12 §9.3.1: a list of items, each with a list of one-based indices of properties.
    private mutating func readAssociations(_ bytes: Span<UInt8>, in range: Range<Int>) throws(SniffStop) {
        let end = range.upperBound
        let version = try bytes.byte(range.lowerBound, of: end)
        let isWide = try bytes.byte(range.lowerBound + 3, of: end) & 1 == 1
        let entries = try bytes.bigEndian(range.lowerBound + 4, bytes: 4, of: end)
        var offset = range.lowerBound + 8
        // An entry takes at least three bytes, so the end of the box bounds the loop, whatever the count claims.
        for _ in 0..<entries {
            let item = try bytes.bigEndian(offset, bytes: version < 1 ? 2 : 4, of: end)
            offset += version < 1 ? 2 : 4
            let count = try bytes.byte(offset, of: end)
            offset += 1
            var entry: [(index: Int, flag: Int)] = []
            for _ in 0..<count {
                // The top bit marks the property as essential.
                let index = try bytes.bigEndian(offset, bytes: isWide ? 2 : 1, of: end) & (isWide ? 0x7FFF : 0x7F)
                entry.append((index, offset))
                offset += isWide ? 2 : 1
            }
            note(entry, of: item)
        }
    }

    /// Records the properties of an item, as one-based indices in order.
    private mutating func note(_ entry: [(index: Int, flag: Int)], of item: Int) {
        let known = entry.filter { $0.index > 0 && $0.index <= properties.count }
        let isAuxiliary = known.contains {
            if case .auxiliary = properties[$0.index - 1].property { true } else { false }
        }
        if item == identifier {
            associations += known.map(\.index)
        } else if !isAuxiliary {
            for (index, _) in known {
                if case .codec(let isGrey) = properties[index - 1].property { otherCodecs.insert(isGrey) }
            }
        }
        guard item == identifier || isAuxiliary else { return }
        for (index, flag) in known where properties[index - 1].property.isTransformation {
            transformations.types.insert(properties[index - 1].typeOffset)
            transformations.flags.append(flag)
        }
    }

    private mutating func resolve() throws(SniffStop) {
        // A grid has no codec of its own.
        isGrey = otherCodecs == [true]
        for index in associations {
            switch properties[index - 1].property {
            case .codec(let isGrey): self.isGrey = isGrey
            case .extent(let extent): placement = HEIFPlacement(stored: extent)
            case .colour(let stated): colour = stated
            default: break
            }
        }
        guard var placed = placement else { return }
        for index in associations {
            switch properties[index - 1].property {
            case .rotation(let turns): placed.turn(quarters: (4 - turns) % 4)
            case .mirror(let axis):
                placed.mirror()
                // Swapping top and bottom is swapping left and right, and a half turn.
                if axis == 0 { placed.turn(quarters: 2) }
            case .aperture(let aperture):
                guard placed.crop(to: aperture) else { throw .malformed("a clean aperture is outside the image") }
            case .extent, .colour, .auxiliary, .codec, .other: break
            }
        }
        placement = placed
    }
}
