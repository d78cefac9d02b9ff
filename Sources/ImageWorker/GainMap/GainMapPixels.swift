import ImagePlan

/// The samples of a gain map, 8 bits each, in one or three channels.
struct GainMapPixels {
    var size: PixelSize
    var channels: Int
    /// Row by row, without padding.
    var samples: [UInt8]

    /// Returns the part that an image shows.
    ///
    /// Own code, since libvips cuts whole pixels only, and half a pixel of a gain map is often two of the picture: edges would
    /// shine. Each result is the mean of the pixels around its place, weighted by a triangle as wide as two results, at least two pixels.
    ///
    /// - Parameters:
    ///   - region: the image's place in the original.
    ///   - output: the size of the result.
    ///   - neutral: the samples of margins, one for each channel.
    func resampled(to region: SourceRegion, _ output: PixelSize, neutral: [UInt8]) -> GainMapPixels {
        let (horizontal, vertical) = region.isTransposed ? (region.down, region.across) : (region.across, region.down)
        let upright = region.isTransposed ? output.transposed : output
        let columns = GainMapAxis(
            count: upright.width,
            start: region.origin.x * Double(size.width),
            span: horizontal.x * Double(size.width),
            length: size.width
        )
        let rows = GainMapAxis(
            count: upright.height,
            start: region.origin.y * Double(size.height),
            span: vertical.y * Double(size.height),
            length: size.height
        )
        var made = GainMapPixels(
            size: output,
            channels: channels,
            samples: [UInt8](repeating: 0, count: output.pixels * channels)
        )
        var row = [Float](repeating: 0, count: size.width * channels)
        for (y, vertical) in rows.taps.enumerated() {
            if let vertical { average(vertical, to: &row) }
            for (x, horizontal) in columns.taps.enumerated() {
                let place = (region.isTransposed ? x * output.width + y : y * output.width + x) * channels
                for channel in 0..<channels {
                    guard vertical != nil, let horizontal else {
                        made.samples[place + channel] = neutral[channel]
                        continue
                    }
                    var sum: Float = 0.5
                    for (index, weight) in horizontal.weights.enumerated() {
                        sum += weight * row[(horizontal.first + index) * channels + channel]
                    }
                    made.samples[place + channel] = UInt8(min(max(sum, 0), 255))
                }
            }
        }
        return made
    }

    /// Computes the weighted mean of some rows.
    private func average(_ taps: GainMapAxis.Taps, to row: inout [Float]) {
        for index in row.indices { row[index] = 0 }
        for (index, weight) in taps.weights.enumerated() {
            let start = (taps.first + index) * row.count
            for sample in row.indices { row[sample] += weight * Float(samples[start + sample]) }
        }
    }
}

/// The pixels of one axis that each pixel of a result is made of.
struct GainMapAxis {
    /// Neighbouring pixels and their weights, whose sum is 1.
    struct Taps: Equatable {
        var first: Int
        var weights: [Float]
    }

    /// The taps of each pixel of the result; `nil` for one outside.
    let taps: [Taps?]

    /// Divides a span of pixels evenly.
    ///
    /// - Parameters:
    ///   - count: the pixels of the result, at least 1.
    ///   - start: where the first one begins, in pixels.
    ///   - span: the distance to the end of the last one in pixels; negative to go back.
    ///   - length: the number of pixels, at least 1.
    init(count: Int, start: Double, span: Double, length: Int) {
        let step = span / Double(count)
        let radius = max(1, abs(step))
        taps = (0..<count).map { index in
            let centre = start + (Double(index) + 0.5) * step
            guard centre >= 0, centre <= Double(length) else { return nil }
            let first = max(0, Int((centre - radius - 0.5).rounded(.up)))
            let last = min(length - 1, Int((centre + radius - 0.5).rounded(.down)))
            let weights = (first...max(first, last)).map { max(0, 1 - abs(Double($0) + 0.5 - centre) / radius) }
            let sum = weights.reduce(0, +)
            return Taps(first: first, weights: weights.map { Float($0 / sum) })
        }
    }
}
