import ImagePlan

/// Encodes 8-bit grey or RGB as JPEG (ITU-T T.81) with fewer bytes than libjpeg-turbo's for the same perceived quality.
///
/// Three things save bytes: quantisation tables made for photographs at today's resolutions (`JPEGTables`), coefficients that are chosen by
/// their bits and the activity of their block (`JPEGQuantiser`), and Huffman tables for the picture. The same pixels and settings
/// give the same bytes.
@safe
struct JPEGEncoder {
    /// The quality, 1–100, with libjpeg's meaning on average over photographs.
    let quality: Int
    /// Whether Cb and Cr have half the resolution in both directions (4:2:0).
    let halvesColours: Bool
    /// Whether the file has several scans, each of which refines the picture.
    let isProgressive: Bool
    let effort: Effort
    let deadline: Deadline
    /// Whether the file has three components even if the picture is grey.
    var keepsComponents = false

    /// How much time may be spent for fewer bytes.
    enum Effort: Comparable {
        /// Coefficients are rounded.
        case rounded
        /// Coefficients are chosen by their bits, too.
        case weighed
        /// Progressive scans are chosen by their size, too.
        case searched

        /// Creates the effort for a request's number, 0–9.
        init(_ number: Int) {
            switch number {
            case ...0: self = .rounded
            case 1...6: self = .weighed
            default: self = .searched
            }
        }
    }

    /// The longest side of a picture in pixels, which is libjpeg's limit in decoders.
    static let longestSide = 65_500

    /// The bytes for each pixel that encoding holds besides the pixels: coefficients, and the last scan twice, at most.
    ///
    /// Measured with noise at quality 100: 6 and 12.4.
    var bytesPerPixel: Int { halvesColours ? 7 : 13 }

    /// Encodes rows of interleaved samples.
    ///
    /// - Parameters:
    ///   - pixels: width × height pixels of one or three bytes, row by row without padding.
    ///   - header: the segments between the start of the image and its tables, such as JFIF's and EXIF's.
    /// - Throws: `WorkerReply.Failure.deadline`.
    func encode(
        _ pixels: UnsafeRawBufferPointer,
        size: PixelSize,
        bands: Int,
        header: [UInt8]
    ) throws(WorkerReply.Failure) -> [UInt8] {
        precondition(bands == 1 || bands == 3)
        precondition((1...Self.longestSide).contains(size.width) && (1...Self.longestSide).contains(size.height))
        precondition(pixels.count == size.width * size.height * bands)
        let tables = JPEGTables(quality: quality)
        var parts = try unsafe components(pixels, size, bands, tables)
        // Colours without any coefficient decode to grey with and without their components, but a profile may be one of RGB.
        let isGrey = parts.count == 3 && parts[1].isZero && parts[2].isZero
        if isGrey, !keepsComponents, !JPEGHeader.hasProfile(header) { parts.removeLast(2) }
        let scans = try scans(of: parts)
        var file = JPEGFile(header: header)
        file.append(tables: parts.count == 1 ? [tables.luma] : [tables.luma, tables.chroma])
        file.append(frameOf: parts, size, isProgressive: scans.count > 1)
        for scan in scans {
            try deadline.check()
            file.append(scan, of: parts)
        }
        return file.finished()
    }

    /// Returns the scans of a file.
    private func scans(of parts: [JPEGComponent]) throws(WorkerReply.Failure) -> [JPEGScan] {
        let sequential = [JPEGScan(components: Array(parts.indices))]
        guard effort >= .searched else { return isProgressive ? JPEGScript.standard(parts) : sequential }
        let searched = try JPEGScript.searched(parts, deadline)
        if isProgressive { return searched }
        let isSmaller = JPEGScript.bits(of: searched, parts) < JPEGScript.bits(of: sequential, parts)
        return isSmaller ? searched : sequential
    }

    /// Converts, transforms and quantises the picture, one row of MCUs after the other.
    private func components(
        _ pixels: UnsafeRawBufferPointer,
        _ size: PixelSize,
        _ bands: Int,
        _ tables: JPEGTables
    ) throws(WorkerReply.Failure) -> [JPEGComponent] {
        let sampling = bands == 3 && halvesColours ? 2 : 1
        let colour = JPEGColour(width: size.width, height: size.height, bands: bands, sampling: sampling)
        let side = 8 * sampling
        let mcus = (columns: (size.width + side - 1) / side, rows: (size.height + side - 1) / side)
        let luma = JPEGComponent(size, sampling: sampling, mcus: mcus)
        let half = PixelSize(
            width: (size.width + sampling - 1) / sampling,
            height: (size.height + sampling - 1) / sampling
        )
        let parts = [luma] + (1..<bands).map { _ in JPEGComponent(half, sampling: 1, mcus: mcus) }
        var quantisers = parts.indices.map { index in
            JPEGQuantiser(table: index == 0 ? tables.luma : tables.chroma, isLuma: index == 0, effort: effort)
        }
        for row in 0..<mcus.rows {
            try deadline.check()
            unsafe colour.convert(pixels, from: row * side)
            for index in parts.indices { quantisers[index].quantise(colour.strips[index], row, to: parts[index]) }
        }
        return parts
    }
}
