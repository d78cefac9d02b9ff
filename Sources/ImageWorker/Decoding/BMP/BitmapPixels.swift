import ImagePlan

/// The pixels of a bitmap as RGBA from top to bottom, decoded with bounds checks.
struct BitmapPixels {
    let header: BitmapHeader
    /// The pixels row by row from the top, four bytes each.
    private(set) var rgba: [UInt8]

    /// Decodes the pixels at `start`.
    ///
    /// Allocates four bytes per pixel of the header; callers must check their number first.
    /// - Throws: `WorkerReply.Failure.broken` if the data end early.
    init(_ header: BitmapHeader, _ bytes: Span<UInt8>, at start: Int) throws(WorkerReply.Failure) {
        self.header = header
        guard start >= header.end, start <= bytes.count else {
            throw .broken("the bitmap's pixels are outside of the file")
        }
        rgba = []
        if case .runs = header.storage {
            let indices = try BitmapRuns.decode(header, bytes, at: start)
            rgba = [UInt8](repeating: 255, count: header.width * header.height * 4)
            for (pixel, index) in indices.enumerated() { setColour(index, at: pixel * 4) }
            return
        }
        let (size, overflows) = header.stride.multipliedReportingOverflow(by: header.height)
        guard !overflows, size <= bytes.count - start else { throw .broken("the bitmap ends within its pixels") }
        rgba = [UInt8](repeating: 255, count: header.width * header.height * 4)
        for line in 0..<header.height {
            let row = header.isTopDown ? line : header.height - 1 - line
            decodeRow(bytes, at: start + line * header.stride, to: row * header.width * 4)
        }
        // Writers without alpha support leave it 0 everywhere.
        if header.hasAlpha, !stride(from: 3, to: rgba.count, by: 4).contains(where: { rgba[$0] != 0 }) {
            for index in stride(from: 3, to: rgba.count, by: 4) { rgba[index] = 255 }
        }
    }

    /// Whether every pixel is opaque.
    var isOpaque: Bool { !stride(from: 3, to: rgba.count, by: 4).contains { rgba[$0] != 255 } }

    /// Makes a pixel transparent.
    mutating func hide(x: Int, y: Int) { rgba[(y * header.width + x) * 4 + 3] = 0 }

    /// The pixels as RGB.
    var rgb: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: rgba.count / 4 * 3) { buffer, count in
            var place = 0
            for index in stride(from: 0, to: rgba.count, by: 4) {
                unsafe buffer[place] = rgba[index]
                unsafe buffer[place + 1] = rgba[index + 1]
                unsafe buffer[place + 2] = rgba[index + 2]
                place += 3
            }
            count = place
        }
    }

    private mutating func decodeRow(_ bytes: Span<UInt8>, at start: Int, to target: Int) {
        switch header.storage {
        case .indexed:
            let bits = header.bitsPerPixel
            let perByte = 8 / bits
            let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
            for x in 0..<header.width {
                let shift = 8 - bits * (x % perByte + 1)
                setColour(bytes[start + x / perByte] >> UInt8(shift) & mask, at: target + x * 4)
            }
        case .bytes:
            for x in 0..<header.width {
                let (from, to) = (start + x * 3, target + x * 4)
                rgba[to] = bytes[from + 2]
                rgba[to + 1] = bytes[from + 1]
                rgba[to + 2] = bytes[from]
            }
        case .masked(let masks):
            let size = header.bitsPerPixel / 8
            for x in 0..<header.width {
                let from = start + x * size
                var pixel: UInt32 = 0
                for index in 0..<size { pixel |= UInt32(bytes[from + index]) << UInt32(8 * index) }
                let to = target + x * 4
                rgba[to] = masks.red.value(of: pixel) ?? 0
                rgba[to + 1] = masks.green.value(of: pixel) ?? 0
                rgba[to + 2] = masks.blue.value(of: pixel) ?? 0
                rgba[to + 3] = masks.alpha.value(of: pixel) ?? 255
            }
        case .runs: break
        }
    }

    /// Returns a colour of the palette; black for an index past its end.
    private mutating func setColour(_ index: UInt8, at target: Int) {
        let colour = Int(index) < header.palette.count ? header.palette[Int(index)] : (0, 0, 0)
        rgba[target] = colour.0
        rgba[target + 1] = colour.1
        rgba[target + 2] = colour.2
    }
}

/// Decodes BI_RLE4 and BI_RLE8.
enum BitmapRuns {
    /// Returns the indices row by row from the top; skipped pixels are 0.
    ///
    /// - Throws: `WorkerReply.Failure.broken` if the data end without an end marker or exceed the image.
    static func decode(_ header: BitmapHeader, _ bytes: Span<UInt8>, at start: Int) throws(WorkerReply.Failure)
        -> [UInt8]
    {
        var indices = [UInt8](repeating: 0, count: header.width * header.height)
        var (x, y, place) = (0, 0, start)
        func set(_ value: UInt8) {
            // Some writers pad runs past the end of a row.
            if x < header.width, y < header.height { indices[(header.height - 1 - y) * header.width + x] = value }
            x = min(x + 1, header.width)
        }
        let isNibbles = header.bitsPerPixel == 4
        while place + 2 <= bytes.count {
            let (count, value) = (Int(bytes[place]), bytes[place + 1])
            place += 2
            if count > 0 {
                for index in 0..<count { set(isNibbles ? nibble(value, index) : value) }
                continue
            }
            switch value {
            case 0: (x, y) = (0, y + 1)
            case 1: return indices
            case 2:
                guard place + 2 <= bytes.count else { throw .broken("the run-length data end within a jump") }
                x = min(x + Int(bytes[place]), header.width)
                y += Int(bytes[place + 1])
                place += 2
            default:
                let literal = isNibbles ? (Int(value) + 1) / 2 : Int(value)
                guard place + literal <= bytes.count else { throw .broken("the run-length data end early") }
                for index in 0..<Int(value) {
                    set(isNibbles ? nibble(bytes[place + index / 2], index) : bytes[place + index])
                }
                // Padded to 16 bits.
                place += literal + literal % 2
            }
            guard y <= header.height else { throw .broken("the run-length data exceed the image") }
        }
        throw .broken("the run-length data end early")
    }

    private static func nibble(_ byte: UInt8, _ index: Int) -> UInt8 { index.isMultiple(of: 2) ? byte >> 4 : byte & 15 }
}
