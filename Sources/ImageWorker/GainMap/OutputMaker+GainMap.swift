import CVips
import ImagePlan

extension OutputMaker {
    /// Makes the gain map of a result.
    ///
    /// - Parameters:
    ///   - region: the part of the original that the result shows.
    ///   - size: the size of the result.
    /// - Returns: `nil` if the plan keeps none, and for one that is malformed, larger than the limits, or would leave too few bytes to
    ///   the image: the result is then as without it.
    /// - Throws: `WorkerReply.Failure`.
    func gainMap(_ plan: Plan, showing region: SourceRegion, _ size: PixelSize) throws -> GainMapContainer? {
        guard keepsGainMap(plan), let found = decoder.gainMap else { return nil }
        let properties = found.packet.flatMap { GainMapProperties(packet: $0) }
        let segment = found.segment.flatMap { GainMapSegment($0) }
        guard properties != nil || segment != nil else { return nil }
        let neutral = (0..<3).map { properties?.neutral($0) ?? segment?.neutral($0) ?? 0 }
        let made: GainMapPixels?
        do {
            made = try pixels(of: found.range, showing: region, size, neutral: neutral)
        } catch _ as VipsError where !deadline.hasPassed {
            return nil
        }
        guard let made else { return nil }
        var header = JPEGFile.jfif(density: (x: 72, y: 72))
        if let properties {
            header += GainMapContainer.segment(0xE1, GainMapSearch.packetIdentifier + properties.packet)
        }
        if let segment { header += GainMapContainer.segment(0xE2, GainMapSearch.identifier + segment.content) }
        let encoder = JPEGEncoder(
            quality: Self.gainMapQuality,
            halvesColours: false,
            isProgressive: false,
            effort: .weighed,
            deadline: deadline,
            keepsComponents: properties?.isByChannel == true || segment?.hasChannels == true
        )
        let file = try unsafe made.samples.span.bytes.withUnsafeBytes { samples in
            try unsafe encoder.encode(samples, size: made.size, bands: made.channels, header: header)
        }
        let container = GainMapContainer(map: file, hasProperties: properties != nil, hasSegment: segment != nil)
        guard container.added <= (plan.settings.encoding.maximumBytes ?? .max) / 2 else { return nil }
        return container
    }

    /// The quality of gain maps: errors are multiplied by the gain.
    private static let gainMapQuality = 90

    /// Decodes the part of a gain map that a result shows.
    ///
    /// It has as many pixels for each pixel of the result as it had for each of the original, but is never enlarged. Beside margins it has
    /// the result's size, so that they do not shine.
    private func pixels(
        of range: Range<Int>,
        showing region: SourceRegion,
        _ size: PixelSize,
        neutral: [UInt8]
    ) throws -> GainMapPixels? {
        guard let file = try? decoder.extracted(range) else { return nil }
        defer { withExtendedLifetime(file) {} }
        let header = try JPEGCoder().open(file, DecodingOptions())
        let whole = PixelSize(width: header.width, height: header.height)
        // More pixels than the image has would be no use, and have not been accounted for.
        guard whole.pixels <= min(maximumPixels, facts.size.pixels), [1, 3].contains(header.bands),
            header.format == VIPS_FORMAT_UCHAR
        else { return nil }
        let output = region.hasMargins ? size : Self.size(of: whole, for: region, size, of: facts.size)
        guard (try? EncoderMemory.check(output, bytesPerPixel: 16, as: .jpeg)) != nil else { return nil }
        var options = DecodingOptions()
        options.shrink = Self.shrink(of: whole, for: region, output)
        // It is held twice.
        guard DecodeBudget.refusal(of: whole, loadedSmallerBy: options.shrink, within: limits.bytes) == nil,
            (try? EncoderMemory.check(whole, bytesPerPixel: 2 * header.bands, as: .jpeg)) != nil
        else { return nil }
        let raster = try JPEGCoder().open(file, options)
        deadline.watch(raster)
        let samples = try raster.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
        let loaded = PixelSize(width: raster.width, height: raster.height)
        return GainMapPixels(size: loaded, channels: raster.bands, samples: samples)
            .resampled(to: region, output, neutral: neutral)
    }

    /// The size of a gain map in the proportion to a result that it had to the original.
    private static func size(
        of whole: PixelSize,
        for region: SourceRegion,
        _ size: PixelSize,
        of original: PixelSize
    ) -> PixelSize {
        func side(_ length: Int, of total: Int, _ share: Double, _ result: Int) -> Int {
            let proportional = (Double(result) * min(1, Double(length) / Double(total))).rounded()
            return Int(max(1, min(proportional, (abs(share) * Double(length)).rounded(.up))))
        }
        if region.isTransposed {
            return PixelSize(
                width: side(whole.height, of: original.height, region.across.y, size.width),
                height: side(whole.width, of: original.width, region.down.x, size.height)
            )
        }
        return PixelSize(
            width: side(whole.width, of: original.width, region.across.x, size.width),
            height: side(whole.height, of: original.height, region.down.y, size.height)
        )
    }

    /// The factor by which a gain map may be loaded smaller: one that leaves all pixels of the result, and no part of a pixel over.
    private static func shrink(of whole: PixelSize, for region: SourceRegion, _ output: PixelSize) -> Int {
        let upright = region.isTransposed ? output.transposed : output
        let columns = max(abs(region.across.x), abs(region.down.x)) * Double(whole.width) / Double(upright.width)
        let rows = max(abs(region.across.y), abs(region.down.y)) * Double(whole.height) / Double(upright.height)
        return [8, 4, 2].first { factor in
            Double(factor) <= min(columns, rows) && whole.width.isMultiple(of: factor)
                && whole.height.isMultiple(of: factor)
        } ?? 1
    }
}

extension Plan {
    /// Returns the plan with a limit of the result's bytes that leaves room for others.
    func leaving(_ bytes: Int) -> Plan {
        guard bytes > 0, let maximum = settings.encoding.maximumBytes else { return self }
        var settings = settings
        settings.encoding.maximumBytes = max(1, maximum - bytes)
        return Plan(steps: steps, settings: settings)
    }
}
