import ImagePlan

/// A baseline JPEG decoded smaller: to 1/4 or 1/8 of its width and height.
///
/// libjpeg-turbo spends nearly all of the time of such a decode on the Huffman codes, one coefficient at a time; here two are read at
/// once. The pixels are the same. Files of other kinds, and damaged ones, are left to libjpeg-turbo, which tells what is wrong with them.
struct ScaledJPEG: ~Copyable {
    private let frame: BaselineFrame
    /// The samples per side of a luma block.
    private let side: Int

    /// The size of the result.
    let size: PixelSize
    /// 1 for grey images, or 3 for RGB.
    var bands: Int { frame.components.count }

    /// Reads the headers; `nil` for a file that must be left to libjpeg-turbo.
    ///
    /// - Parameter factor: 4 or 8; `nil` for others, at which libjpeg-turbo is nearly as fast.
    init?(_ file: Span<UInt8>, factor: Int) {
        guard [4, 8].contains(factor), let frame = BaselineFrame(file) else { return nil }
        self.frame = frame
        side = 8 / factor
        size = frame.size.reduced(by: factor)
    }

    /// Decodes the image.
    ///
    /// - Parameter write: receives the rows from top to bottom; valid during the call.
    /// - Returns: `false` if the data is damaged; rows may have been written by then.
    /// - Throws: what `write` throws.
    func decode<Failure: Error>(
        _ file: Span<UInt8>,
        _ write: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var strip = Strip(frame, side: side)
        var rows = PixelRows(width: size.width, bands: bands)
        var left = size.height
        while left > 0 {
            do {
                try strip.decode(file)
            } catch {
                return false
            }
            for row in 0..<min(left, strip.height) {
                rows.convert(strip, row: row)
                try write(rows.bytes.span.extracting(0..<size.width * bands))
            }
            left -= min(left, strip.height)
        }
        return strip.isComplete(file)
    }

    /// A row of units: the samples of all components at the same size.
    struct Strip: ~Copyable {
        /// The rows of samples.
        let height: Int
        /// The bytes from row to row.
        let stride: Int
        /// The samples of each component, one after the other.
        fileprivate(set) var planes: [UInt8]

        private var reader: EntropyReader
        private let frame: BaselineFrame
        private let transforms: [ReducedTransform]
        private let unitsPerRow: Int
        /// The units until the next restart marker, and the number of markers so far.
        private var unitsLeft: Int
        private var markers = 0
        private var predictions: InlineArray<3, Int16> = [0, 0, 0]

        fileprivate init(_ frame: BaselineFrame, side: Int) {
            self.frame = frame
            height = side * frame.lumaFactor
            let unit = 8 * frame.lumaFactor
            unitsPerRow = (frame.size.width + unit - 1) / unit
            stride = unitsPerRow * height
            planes = [UInt8](repeating: 0, count: stride * height * frame.components.count + PixelRows.padding)
            // Halved colours are as large as luma when they are transformed to twice as many samples.
            transforms = frame.components.enumerated().map { index, component in
                ReducedTransform(
                    side: index == 0 ? side : side * frame.lumaFactor,
                    quantisation: component.quantisation
                )
            }
            unitsLeft = frame.restartInterval > 0 ? frame.restartInterval : .max
            reader = EntropyReader(at: frame.scan)
        }

        /// Whether everything has been read, and the end of the image follows.
        fileprivate mutating func isComplete(_ file: Span<UInt8>) -> Bool { (try? reader.finish(file)) != nil }

        /// Prepares for the next unit.
        @inline(__always)
        private mutating func beginUnit(_ file: Span<UInt8>) throws(EntropyReader.Failure) {
            if unitsLeft == 0 {
                try reader.restart(file, number: markers)
                markers += 1
                unitsLeft = frame.restartInterval
                predictions = [0, 0, 0]
            }
            unitsLeft -= 1
            try reader.prepare(file)
        }

        /// Decodes the next row of units.
        fileprivate mutating func decode(_ file: Span<UInt8>) throws(EntropyReader.Failure) {
            // Grey images have no second and third component.
            let (second, third) = frame.components.count == 3 ? (1, 2) : (0, 0)
            let (y, cb, cr) = (frame.components[0], frame.components[second], frame.components[third])
            let (luma, blue, red) = (transforms[0], transforms[second], transforms[third])
            let (factor, area) = (frame.lumaFactor, stride * height)
            let side = height / factor
            // Outside of self, which changes meanwhile.
            var (samples, block) = ([UInt8](), EntropyReader.emptyBlock)
            swap(&samples, &planes)
            defer { swap(&samples, &planes) }
            var span = samples.mutableSpan
            var coefficients = block.mutableSpan
            var plane = unsafe span.mutableBytes
            for unit in 0..<unitsPerRow {
                try beginUnit(file)
                let place = unit &* height
                for index in 0..<factor &* factor {
                    let (row, column) = (index &>> (factor &- 1), index & (factor &- 1))
                    let offset = place &+ row &* side &* stride &+ column &* side
                    try decodeBlock(&coefficients, 0, y, luma, into: &plane, at: offset)
                }
                guard second > 0 else { continue }
                try decodeBlock(&coefficients, 1, cb, blue, into: &plane, at: place &+ area)
                try decodeBlock(&coefficients, 2, cr, red, into: &plane, at: place &+ 2 &* area)
            }
        }

        /// Reads a block and transforms it into its place in the planes.
        @inline(__always)
        private mutating func decodeBlock(
            _ block: inout MutableSpan<Int16>,
            _ index: Int,
            _ component: borrowing BaselineFrame.Component,
            _ transform: borrowing ReducedTransform,
            into plane: inout MutableRawSpan,
            at offset: Int
        ) throws(EntropyReader.Failure) {
            let isFlat = try reader.read(&block, component.dc, component.ac, prediction: &predictions[index])
            transform.transform(block.span, isFlat: isFlat, into: &plane, at: offset, stride: stride)
        }
    }
}
