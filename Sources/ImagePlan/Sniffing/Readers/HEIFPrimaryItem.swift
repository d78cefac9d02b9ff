/// What a HEIF file's `meta` box says of the picture to show.
///
/// All bytes of the box are at hand when it is read: its numbers are checked against its own end.
struct HEIFPrimaryItem {
    /// The size after rotation.
    private(set) var size: PixelSize?
    /// Whether some auxiliary picture is an alpha plane.
    private(set) var hasAlpha = false
    /// What its RGB values mean, where a `colr` box of the kind `nclx` says it.
    private(set) var colour: HEIFColour?

    private static let maximumProperties = 4096

    /// A property of an item that matters here.
    private enum Property {
        case extent(PixelSize)
        /// Quarter turns.
        case rotation(Int)
        case colour(HEIFColour)
        case other
    }

    private var identifier: Int?
    private var properties: [Property] = []
    private var associations: [Int] = []

    /// Reads the boxes within `meta`.
    mutating func read(_ bytes: Span<UInt8>, in range: Range<Int>) throws(SniffStop) {
        var containers: [Range<Int>] = []
        var primary: Int?
        try BoxWalk.children(bytes, of: bytes.count, in: range) { (type, content) throws(SniffStop) in
            switch type {
            case BoxWalk.type("pitm"):
                // A full box: version 0 has 16 bits, later ones 32.
                let wide = try bytes.byte(content.lowerBound, of: content.upperBound) > 0
                primary = try bytes.bigEndian(
                    content.lowerBound + 4,
                    bytes: wide ? 4 : 2,
                    of: content.upperBound
                )
            case BoxWalk.type("iprp"):
                containers.append(content)
            default:
                break
            }
            return true
        }
        identifier = primary
        guard let container = containers.first else { throw .malformed("there is no iprp box") }
        try readProperties(bytes, in: container)
        resolve()
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
        var found: [Property] = []
        var alpha = false
        try BoxWalk.children(bytes, of: bytes.count, in: range) { (type, content) throws(SniffStop) in
            var property = Property.other
            switch type {
            case BoxWalk.type("ispe"):
                let width = try bytes.bigEndian(content.lowerBound + 4, bytes: 4, of: content.upperBound)
                let height = try bytes.bigEndian(content.lowerBound + 8, bytes: 4, of: content.upperBound)
                property = .extent(PixelSize(width: width, height: height))
            case BoxWalk.type("irot"):
                property = .rotation(try bytes.byte(content.lowerBound, of: content.upperBound) & 3)
            case BoxWalk.type("colr"):
                if let colour = HEIFColour(bytes, in: content) { property = .colour(colour) }
            case BoxWalk.type("auxC"):
                let name = content.lowerBound + 4
                if bytes.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: name)
                    || bytes.has("urn:mpeg:hevc:2015:auxid:1", at: name)
                {
                    alpha = true
                }
            default:
                break
            }
            found.append(property)
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
        // Each entry takes three bytes at least: the box's end bounds the loop, whatever the count claims.
        for _ in 0..<entries {
            let item = try bytes.bigEndian(offset, bytes: version < 1 ? 2 : 4, of: end)
            offset += version < 1 ? 2 : 4
            let count = try bytes.byte(offset, of: end)
            offset += 1
            for _ in 0..<count {
                let index = try bytes.bigEndian(offset, bytes: isWide ? 2 : 1, of: end)
                offset += isWide ? 2 : 1
                // The top bit says that the property is essential.
                if item == identifier { associations.append(index & (isWide ? 0x7FFF : 0x7F)) }
            }
        }
    }

    private mutating func resolve() {
        for index in associations where index > 0 && index <= properties.count {
            switch properties[index - 1] {
            case .extent(let extent): size = extent
            case .colour(let stated): colour = stated
            case .rotation(let turns) where turns % 2 == 1: size = size?.transposed
            default: break
            }
        }
    }
}
