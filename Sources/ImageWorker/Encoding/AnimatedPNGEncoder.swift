import CVips
import CZlib
import ImagePlan

/// Writes an animated PNG (W3C PNG, third edition, §4.9): each frame is the rectangle that changed, stored over the frame before
/// it.
///
/// Own code, because libpng without the APNG patch, and therefore libvips, writes one frame. It can be removed when libvips
/// writes several.
struct AnimatedPNGEncoder {
    let options: EncodingOptions
    /// The zlib level, 0–9.
    let compression: CInt

    /// The maximum pixels of all frames for which colours are counted, which requires all frames in memory.
    private static let largestCounted = 16_000_000
    /// The longest delay in milliseconds that fits two bytes.
    private static let longest = 65_535

    /// One frame's samples and their layout.
    fileprivate struct Frame {
        var samples: [UInt8]
        var width: Int
        var channels: Int
    }

    /// Encodes frame by frame; two frames are in memory, or all of them if they are small enough to search for a palette.
    ///
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func encode(_ picture: FinishedPicture, _ animation: Animation) throws -> EncodedPicture {
        let size = picture.size
        let isCounted = size.pixels.multipliedSaturated(by: picture.frames.count) <= Self.largestCounted
        let picture = isCounted ? try picture.inMemory(options.deadline) : picture
        let palette = isCounted ? try palette(of: picture) : nil
        let channels = palette == nil ? picture.frames[0].bands : 1
        var file = AnimatedPNG.signature
        // Colour types 2, 3 and 6 (§11.2.1).
        let type: UInt8 = palette == nil ? channels == 4 ? 6 : 2 : 3
        file += PNGChunk.encoded("IHDR", PNGChunk.word(size.width) + PNGChunk.word(size.height) + [8, type, 0, 0, 0])
        if let palette { file += Self.chunks(of: palette) }
        if !options.strips { file += try metadata(of: picture) }
        file += PNGChunk.encoded("acTL", PNGChunk.word(picture.frames.count) + PNGChunk.word(animation.rounds))
        var number = 0
        var before: Frame?
        for (index, raster) in picture.frames.enumerated() {
            try options.deadline.check()
            options.deadline.watch(raster)
            let samples: [UInt8] =
                if let palette {
                    Array(palette.indices[index * size.pixels..<(index + 1) * size.pixels])
                } else {
                    try raster.inMemory().withPixels { pixels in unsafe Array(pixels) }
                }
            let frame = Frame(samples: samples, width: size.width, channels: channels)
            let part =
                before.map { frame.difference(from: $0) }
                ?? PixelRectangle(left: 0, top: 0, width: size.width, height: size.height)
            file += Self.control(of: part, delay: animation.delay(ofFrame: index), number)
            number += 1
            let data = try frame.compressed(part, isFiltered: palette == nil, level: compression)
            if before == nil {
                file += PNGChunk.encoded("IDAT", data)
            } else {
                file += PNGChunk.encoded("fdAT", PNGChunk.word(number) + data)
                number += 1
            }
            before = frame
        }
        return EncodedPicture(file + PNGChunk.encoded("IEND", []))
    }

    /// Returns the palette of all frames together; `nil` if they have too many colours or a result without alpha would lose it.
    private func palette(of picture: FinishedPicture) throws -> Palette? {
        let palette = try Palette(of: Raster.stacked(picture.frames).inMemory())
        // An opaque alpha band is kept, since the reported description says that the result has alpha.
        let isExact = !palette.isTooLarge && !(picture.frames[0].hasAlpha && palette.isOpaque)
        return isExact ? palette : nil
    }

    private static func chunks(of palette: Palette) -> [UInt8] {
        let colours = palette.colours
        let entries = colours.flatMap { [UInt8($0 >> 24), UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255)] }
        let transparency =
            palette.isOpaque ? [] : PNGChunk.encoded("tRNS", colours.map { UInt8($0 & 255) })
        return PNGChunk.encoded("PLTE", entries) + transparency
    }

    /// Returns the EXIF and XMP chunks that the request keeps (§11.3.3.3, §11.3.4.2).
    private func metadata(of picture: FinishedPicture) throws -> [UInt8] {
        let kept = try WebPMetadata(of: picture.filter.apply(to: picture.frames[0].inMemory()))
        var chunks: [UInt8] = []
        if let exif = kept["EXIF"] {
            let prefix = Array("Exif\0\0".utf8)
            chunks += PNGChunk.encoded("eXIf", exif.starts(with: prefix) ? Array(exif.dropFirst(prefix.count)) : exif)
        }
        if let packet = kept["XMP "] {
            chunks += PNGChunk.encoded("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet)
        }
        return chunks
    }

    /// Returns a frame control chunk (§11.3.6.2): kept on the canvas, and drawn over its content.
    private static func control(of part: PixelRectangle, delay: Int, _ number: Int) -> [UInt8] {
        let place = [number, part.width, part.height, part.left, part.top].flatMap { PNGChunk.word($0) }
        let (numerator, denominator) = delay <= longest ? (delay, 1000) : (min(delay / 1000, longest), 1)
        let time = [numerator, denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return PNGChunk.encoded("fcTL", place + time + [0, 0])
    }
}

extension AnimatedPNGEncoder.Frame {
    /// Returns the smallest rectangle outside which a frame of the same layout is equal; one pixel if all of it is.
    fileprivate func difference(from other: Self) -> PixelRectangle {
        let stride = width * channels
        let height = samples.count / stride
        return unsafe samples.withUnsafeBufferPointer { mine in
            unsafe other.samples.withUnsafeBufferPointer { theirs in
                func differs(_ row: Int) -> Bool {
                    let range = row * stride..<(row + 1) * stride
                    return unsafe !mine[range].elementsEqual(theirs[range])
                }
                guard let top = (0..<height).first(where: differs), let bottom = (0..<height).last(where: differs)
                else {
                    return PixelRectangle(left: 0, top: 0, width: 1, height: 1)
                }
                var (left, right) = (stride, 0)
                for row in top...bottom {
                    let start = row * stride
                    var first = 0
                    while first < left, unsafe mine[start + first] == theirs[start + first] { first += 1 }
                    var last = stride - 1
                    while last > right, unsafe mine[start + last] == theirs[start + last] { last -= 1 }
                    left = min(left, first)
                    if last > first || first < stride { right = max(right, last) }
                }
                let (from, to) = (left / channels, right / channels + 1)
                return PixelRectangle(left: from, top: top, width: max(1, to - from), height: bottom - top + 1)
            }
        }
    }

    /// Returns a part's rows, filtered and compressed (§9, §10).
    fileprivate func compressed(
        _ part: PixelRectangle,
        isFiltered: Bool,
        level: CInt
    ) throws(WorkerReply.Failure) -> [UInt8] {
        let length = part.width * channels
        var rows: [UInt8] = []
        rows.reserveCapacity((length + 1) * part.height)
        var above = [UInt8](repeating: 0, count: length)
        for row in part.top..<part.bottom {
            let start = (row * width + part.left) * channels
            let line = Array(samples[start..<start + length])
            let (filter, filtered) = isFiltered ? RowFilter.best(line, above, pixel: channels) : (0, line)
            rows.append(filter)
            rows += filtered
            above = line
        }
        var size = compressBound(uLong(rows.count))
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard unsafe compress2(&bytes, &size, rows, uLong(rows.count), level) == Z_OK else {
            throw .worker("zlib is out of memory")
        }
        bytes.removeSubrange(Int(size)...)
        return bytes
    }
}

/// The row filters of PNG (§9.2).
enum RowFilter {
    /// Returns the type and the result of the filter with the least sum of absolute values (§12.7), of None, Sub, Up and Paeth.
    static func best(_ line: [UInt8], _ above: [UInt8], pixel: Int) -> (UInt8, [UInt8]) {
        var best: (type: UInt8, row: [UInt8], sum: Int)?
        for type in [0, 1, 2, 4] as [UInt8] {
            let row = filtered(line, above, pixel: pixel, type)
            let sum = row.reduce(0) { $0 + Int(min($1, 0 &- $1)) }
            if sum < best?.sum ?? .max { best = (type, row, sum) }
        }
        return best.map { ($0.type, $0.row) } ?? (0, line)
    }

    private static func filtered(_ line: [UInt8], _ above: [UInt8], pixel: Int, _ type: UInt8) -> [UInt8] {
        guard type > 0 else { return line }
        return unsafe [UInt8](unsafeUninitializedCapacity: line.count) { row, count in
            for index in line.indices {
                let left = index >= pixel ? line[index - pixel] : 0
                let predicted: UInt8 =
                    switch type {
                    case 1: left
                    case 2: above[index]
                    default: paeth(left, above[index], index >= pixel ? above[index - pixel] : 0)
                    }
                unsafe row[index] = line[index] &- predicted
            }
            count = line.count
        }
    }

    /// Returns the neighbour nearest to left + above − corner (§9.4).
    private static func paeth(_ left: UInt8, _ above: UInt8, _ corner: UInt8) -> UInt8 {
        let estimate = Int(left) + Int(above) - Int(corner)
        let distances = (abs(estimate - Int(left)), abs(estimate - Int(above)), abs(estimate - Int(corner)))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }
}
