import CVips

/// The colours of an 8-bit RGB or RGBA image in memory, up to the size of a palette, and each pixel's index.
struct Palette {
    /// The colours as RGBA in order of first use; all fully transparent ones count as one.
    private(set) var colours: [UInt32] = []
    /// The index into `colours` of each pixel; incomplete if `isTooLarge`.
    private(set) var indices: [UInt8] = []
    /// Whether there are more than 256 colours.
    private(set) var isTooLarge = false
    /// Whether red, green and blue are equal everywhere.
    private(set) var isGrey = true
    private(set) var isOpaque = true

    /// The maximum number of pixels of a picture whose colours are counted, since it must be in memory for that.
    static let largestCounted = 16_000_000

    /// The maximum number of colours of a palette (PNG §11.2.2).
    private static let most = 256
    /// The slots of the hash table: four times as many as colours, for few collisions.
    private static let slots = 1024

    /// Examines every pixel; stops early once there are too many colours and not all are grey.
    init(of raster: Raster) throws(VipsError) {
        let bands = raster.bands
        var found = Palette()
        try raster.withPixels { pixels in
            found.indices.reserveCapacity(raster.width * raster.height)
            var table = [UInt32](repeating: 0, count: Self.slots)
            var places = [Int](repeating: -1, count: Self.slots)
            var last: (colour: UInt32, place: UInt8)?
            for start in stride(from: 0, to: pixels.count, by: bands) {
                let alpha: UInt32 = bands == 4 ? unsafe UInt32(pixels[start + 3]) : 255
                let (red, green, blue) = unsafe (
                    UInt32(pixels[start]), UInt32(pixels[start + 1]), UInt32(pixels[start + 2])
                )
                if red != green || green != blue { found.isGrey = false }
                if alpha != 255 { found.isOpaque = false }
                if found.isTooLarge {
                    if found.isGrey { continue }
                    break
                }
                let colour = alpha == 0 ? 0 : red << 24 | green << 16 | blue << 8 | alpha
                if let last, last.colour == colour {
                    found.indices.append(last.place)
                    continue
                }
                var slot = Int((colour &* 0x9E37_79B1) >> 22)
                while places[slot] >= 0, table[slot] != colour { slot = (slot + 1) % Self.slots }
                if places[slot] < 0 {
                    guard found.colours.count < Self.most else {
                        found.isTooLarge = true
                        continue
                    }
                    table[slot] = colour
                    places[slot] = found.colours.count
                    found.colours.append(colour)
                }
                let place = UInt8(places[slot])
                found.indices.append(place)
                last = (colour, place)
            }
        }
        self = found
    }

    private init() {}

    /// The bits per index: 1, 2, 4 or 8.
    var bits: Int { colours.count <= 2 ? 1 : colours.count <= 4 ? 2 : colours.count <= 16 ? 4 : 8 }
}

extension Raster {
    /// Whether more than a third of the pixels of an 8-bit image in memory equal their left neighbours, as in drawings.
    func isMostlyFlat() throws(VipsError) -> Bool {
        let (width, height, bands) = (width, height, bands)
        guard width > 1 else { return false }
        // At most 64 rows, evenly spaced.
        let step = max(1, height / 64)
        return try withPixels { pixels in
            var (seen, equal) = (0, 0)
            for y in stride(from: 0, to: height, by: step) {
                let row = y * width * bands
                for start in stride(from: row + bands, to: row + width * bands, by: bands) {
                    seen += 1
                    var same = true
                    for band in 0..<bands where unsafe pixels[start + band] != pixels[start + band - bands] {
                        same = false
                    }
                    if same { equal += 1 }
                }
            }
            return 3 * equal > seen
        }
    }

    /// Returns the first band and alpha of an image whose colour bands are equal.
    func asGrey() throws(VipsError) -> Raster {
        let grey = try bands(from: 0, count: 1)
        let whole = try hasAlpha ? grey.joined(with: bands(from: bands - 1, count: 1)) : grey
        return try whole.interpreted(as: VIPS_INTERPRETATION_B_W)
    }
}
