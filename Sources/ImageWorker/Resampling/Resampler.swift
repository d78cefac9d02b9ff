import CLanes
import ImagePlan

/// Scales an image of 8-bit samples down, row by row as they arrive, with a three-lobed Lanczos kernel in both directions.
///
/// Used for one resize; confined to the worker's only job thread.
///
/// **Own code, to be deleted.** libvips 8.14 reduces the lines of an image one sample at a time (its horizontal pass), which was
/// the largest part of a small result's time after decoding; here both directions take eight samples at once. That pass is all
/// that this beats. Delete it when the libvips of Debian stable makes `Benchmarks/transforms.sh` no slower without it. To measure
/// on a machine with that libvips: run `transforms.sh` and `widths.sh` as they are, then with `Raster.resampled` returning `nil` at
/// its first line, three runs of each, alternating, and compare the median ratios to the C loop, which uses the same libvips.
/// This file, `ResamplingWeights` and `Raster.resampled` go then; `RowHalving`, `Samples` and `RowObserver`
/// stay for mezzanines.
@safe
final class Resampler {
    /// The maximum number of bytes of rows to hold; libvips scales images that need more.
    private static let mostHeld = 16 << 20
    /// The number of samples that the vertical pass computes at a time.
    private static let step = 16
    /// The bits by which the passes shift their sums right; samples have six fractional bits before and between them.
    @inline(__always) private static var rowShift: Int32 { 14 }
    @inline(__always) private static var columnShift: Int32 { 20 }

    private let target: PixelSize
    private let bands: Int
    private let firstHalving: RowHalving<UInt8>?
    private let halvings: [RowHalving<UInt16>]
    /// The number of samples of a resampled row, and that rounded up to a multiple of `step`.
    private let samples: Int
    private let paddedSamples: Int
    private let columns: ResamplingWeights
    private let rows: ResamplingWeights
    private let rowPairs: Int

    /// Pairs of rows with interleaved samples; as many as one result row needs.
    private let ring: [Samples<UInt32>]
    /// An even row that waits for the odd one; bytes if nothing is halved.
    private let evenBytes: Samples<UInt8>
    private let even: Samples<UInt16>
    /// A row between the passes, then its pixels in pairs.
    private let middle: Samples<Int16>
    private let middlePairs: Samples<Int16>
    private let made: Samples<UInt8>
    private var taken = 0
    private var given = 0

    /// Prepares a resize; `nil` to enlarge a side, for other than three or four bands, and if it needs too much memory.
    ///
    /// - Parameters:
    ///   - source: the size of the source.
    ///   - target: the size of the result, at most that of the source.
    ///   - bands: the samples of a pixel.
    ///   - extent: what the source shows; `nil` if that is as long as its pixels are.
    ///   - loadFactor: the factor by which the source is already reduced.
    init?(
        from source: PixelSize,
        to target: PixelSize,
        bands: Int,
        extent: LoadedExtent? = nil,
        loadFactor: Int = 1
    ) {
        guard (3...4).contains(bands), target.width <= source.width, target.height <= source.height else { return nil }
        self.target = target
        self.bands = bands
        // Halve as often as shrink-on-load may, so that an image that was loaded or kept smaller gives the same result.
        var count = 0
        while true {
            let factor = 2 << count
            let room = ShrinkOnLoad.usualRoom(for: loadFactor * factor)
            guard ShrinkOnLoad.leavesEnough(of: source, for: target, factor: factor, room: room) else { break }
            count += 1
        }
        var (width, height) = (source.width, source.height)
        var halvings: [RowHalving<UInt16>] = []
        for level in 0..<count {
            if level > 0 { halvings.append(RowHalving(width: width, bands: bands)) }
            (width, height) = ((width + 1) / 2, (height + 1) / 2)
        }
        firstHalving = count > 0 ? RowHalving(width: source.width, bands: bands) : nil
        self.halvings = halvings
        let whole = Double(1 << count)
        let extent = extent ?? LoadedExtent(width: Double(source.width), height: Double(source.height))
        let taps = extent.height / whole / Double(target.height) * 6 + 4
        guard taps * Double(width * bands * MemoryLayout<Int16>.size) <= Double(Self.mostHeld),
            // The weights of all columns.
            width * 6 * MemoryLayout<SIMD8<Int16>>.size <= Self.mostHeld
        else { return nil }
        columns = ResamplingWeights(
            count: width,
            start: extent.left / whole,
            extent: extent.width / whole,
            target: target.width
        )
        rows = ResamplingWeights(
            count: height,
            start: extent.top / whole,
            extent: extent.height / whole,
            target: target.height
        )
        rowPairs = (height + 1) / 2
        samples = width * bands
        paddedSamples = (samples + Self.step - 1) / Self.step * Self.step
        let padded = paddedSamples
        ring = (0..<min(rows.pairs, rowPairs)).map { _ in Samples(count: padded) }
        evenBytes = Samples(count: count > 0 ? 0 : padded)
        even = Samples(count: count > 0 ? padded : 0)
        // The last pixel is read as eight samples.
        middle = Samples(count: padded + Self.step)
        middlePairs = Samples(count: ((width + 1) / 2 + columns.pairs) * 8)
        made = Samples(count: target.width * bands + 8)
    }

    /// Accepts the next row of the source and passes on each completed row of the result.
    func push<Failure: Error>(
        _ row: UnsafePointer<UInt8>,
        _ give: (UnsafeRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let firstHalving else { return try unsafe take(row, evenBytes, give) }
        guard let halved = unsafe firstHalving.push(row) else { return }
        try unsafe push(halved, from: 0, give)
    }

    /// Ends the source and passes on the remaining rows of the result.
    func finish<Failure: Error>(_ give: (UnsafeRawPointer) throws(Failure) -> Void) throws(Failure) {
        if let row = unsafe firstHalving?.finish() { try unsafe push(row, from: 0, give) }
        for (level, halving) in halvings.enumerated() {
            if let row = unsafe halving.finish() { try unsafe push(row, from: level + 1, give) }
        }
        if !taken.isMultiple(of: 2) {
            if firstHalving == nil {
                unsafe store(UnsafePointer(evenBytes.start), UnsafePointer(evenBytes.start))
            } else {
                unsafe store(UnsafePointer(even.start), UnsafePointer(even.start))
            }
            taken += 1
            try unsafe giveComplete(give)
        }
    }

    private func push<Failure: Error>(
        _ row: UnsafePointer<UInt16>,
        from level: Int,
        _ give: (UnsafeRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var row = unsafe row
        for halving in halvings[level...] {
            guard let halved = unsafe halving.push(row) else { return }
            unsafe row = halved
        }
        try unsafe take(row, even, give)
    }

    /// Accepts a row to resample, as bytes or 8.6 fixed point.
    @inline(__always)
    private func take<Sample: FixedWidthInteger & UnsignedInteger, Failure: Error>(
        _ row: UnsafePointer<Sample>,
        _ even: Samples<Sample>,
        _ give: (UnsafeRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        if taken.isMultiple(of: 2) {
            unsafe even.start.update(from: row, count: samples)
        } else {
            unsafe store(UnsafePointer(even.start), row)
        }
        taken += 1
        if taken.isMultiple(of: 2) { try unsafe giveComplete(give) }
    }

    /// Interleaves an even row and its odd one into the ring, as 8.6 fixed point.
    @inline(__always)
    private func store<Sample: FixedWidthInteger & UnsignedInteger>(
        _ even: UnsafePointer<Sample>,
        _ odd: UnsafePointer<Sample>
    ) {
        let pair = unsafe ring[taken / 2 % ring.count].start
        let shift: UInt32 = Sample.bitWidth == 8 ? UInt32(FixedPoint.fraction) : 0
        for sample in 0..<samples {
            unsafe pair[sample] = UInt32(even[sample]) &<< shift | UInt32(odd[sample]) &<< (16 &+ shift)
        }
    }

    private func giveComplete<Failure: Error>(
        _ give: (UnsafeRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let complete = taken / 2
        while given < target.height, min(rows.first[given] + rows.pairs, rowPairs) <= complete {
            reduceRows()
            pairPixels()
            reduceColumns()
            try unsafe give(UnsafeRawPointer(made.start))
            given += 1
        }
    }

    /// The vertical pass of one result row.
    private func reduceRows() {
        let first = rows.first[given]
        let window = unsafe (first..<min(first + rows.pairs, rowPairs)).map { pair in
            unsafe UnsafeRawPointer(ring[pair % ring.count].start)
        }
        let half = SIMD4<Int32>(repeating: 1 << (Self.rowShift - 1))
        let middle = unsafe UnsafeMutableRawPointer(middle.start)
        unsafe rows.lanes.withUnsafeBufferPointer { lanes in
            unsafe window.withUnsafeBufferPointer { window in
                guard let weights = unsafe lanes.baseAddress.map({ unsafe $0 + given * rows.pairs }) else { return }
                let count = window.count
                var sample = 0
                while sample < paddedSamples {
                    var (a, b, c, d) = (half, half, half, half)
                    var pair = 0
                    while pair < count {
                        let row = unsafe window[pair] + sample &* 4
                        let weight = unsafe weights[pair]
                        unsafe a &+= edge_pairwise_products(row.load(as: SIMD8<Int16>.self), weight)
                        unsafe b &+= edge_pairwise_products(row.load(fromByteOffset: 16, as: SIMD8<Int16>.self), weight)
                        unsafe c &+= edge_pairwise_products(row.load(fromByteOffset: 32, as: SIMD8<Int16>.self), weight)
                        unsafe d &+= edge_pairwise_products(row.load(fromByteOffset: 48, as: SIMD8<Int16>.self), weight)
                        pair &+= 1
                    }
                    let place = unsafe middle + sample &* 2
                    unsafe place.storeBytes(of: Self.narrowed(a, b), as: SIMD8<Int16>.self)
                    unsafe place.storeBytes(of: Self.narrowed(c, d), toByteOffset: 16, as: SIMD8<Int16>.self)
                    sample &+= Self.step
                }
            }
        }
    }

    /// Converts sums of the vertical pass to samples of the horizontal one.
    @inline(__always)
    private static func narrowed(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> SIMD8<Int16> {
        SIMD8(
            lowHalf: SIMD4(truncatingIfNeeded: low &>> rowShift),
            highHalf: SIMD4(truncatingIfNeeded: high &>> rowShift)
        )
    }

    /// Interleaves the samples of two neighbouring pixels, band by band.
    private func pairPixels() {
        let pairs = (samples / bands + 1) / 2
        let source = unsafe UnsafeRawPointer(middle.start)
        let target = unsafe UnsafeMutableRawPointer(middlePairs.start)
        if bands == 3 {
            for pair in 0..<pairs {
                let pixels = unsafe source.loadUnaligned(fromByteOffset: pair &* 12, as: SIMD8<Int16>.self)
                let paired = SIMD8(pixels[0], pixels[3], pixels[1], pixels[4], pixels[2], pixels[5], 0, 0)
                unsafe target.storeBytes(of: paired, toByteOffset: pair &* 16, as: SIMD8<Int16>.self)
            }
        } else {
            for pair in 0..<pairs {
                let pixels = unsafe source.load(fromByteOffset: pair &* 16, as: SIMD8<Int16>.self)
                var paired = SIMD8<Int16>()
                paired.evenHalf = pixels.lowHalf
                paired.oddHalf = pixels.highHalf
                unsafe target.storeBytes(of: paired, toByteOffset: pair &* 16, as: SIMD8<Int16>.self)
            }
        }
    }

    /// The horizontal pass of one result row.
    private func reduceColumns() {
        let (count, bands, width) = (columns.pairs, bands, target.width)
        let half = SIMD4<Int32>(repeating: 1 << (Self.columnShift - 1))
        let (least, most) = (SIMD4<Int32>(repeating: 0), SIMD4<Int32>(repeating: 255))
        let pixels = unsafe UnsafeRawPointer(middlePairs.start)
        let made = unsafe UnsafeMutableRawPointer(made.start)
        unsafe columns.lanes.withUnsafeBufferPointer { lanes in
            unsafe columns.first.withUnsafeBufferPointer { first in
                guard var weights = lanes.baseAddress else { return }
                for column in 0..<width {
                    let window = unsafe pixels + first[column] &* 16
                    var (a, b) = (half, least)
                    var pair = 0
                    while pair &+ 1 < count {
                        unsafe a &+= edge_pairwise_products(
                            window.load(fromByteOffset: pair &* 16, as: SIMD8<Int16>.self),
                            weights[pair]
                        )
                        unsafe b &+= edge_pairwise_products(
                            window.load(fromByteOffset: pair &* 16 &+ 16, as: SIMD8<Int16>.self),
                            weights[pair &+ 1]
                        )
                        pair &+= 2
                    }
                    if pair < count {
                        unsafe a &+= edge_pairwise_products(
                            window.load(fromByteOffset: pair &* 16, as: SIMD8<Int16>.self),
                            weights[pair]
                        )
                    }
                    let values = ((a &+ b) &>> Self.columnShift).clamped(lowerBound: least, upperBound: most)
                    // With three bands the fourth byte is the next pixel's first; the buffer has room after the last pixel.
                    unsafe made.storeBytes(
                        of: SIMD4<UInt8>(truncatingIfNeeded: values),
                        toByteOffset: column &* bands,
                        as: SIMD4<UInt8>.self
                    )
                    unsafe weights += count
                }
            }
        }
    }
}
