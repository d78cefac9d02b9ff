import ImagePlan

/// Where a line across a shape lies inside of it.
protocol MaskOutline {
    /// The stretches of the line at height `y` (pixels from the top edge) that lie inside, in pixels from the left edge, each with
    /// its end behind its start.
    func spans(at y: Double) -> [Range<Double>]
}

/// The antialiased coverage of a shape, 0–255 a pixel.
///
/// Sixteen lines across each row of pixels are covered exactly: no pixel is further than a few hundredths from its true area.
struct ShapeMask {
    private static let linesPerRow = 16

    let size: PixelSize
    let outline: any MaskOutline

    /// The coverage, row by row.
    func coverage() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size.width * size.height)
        var row = RowCoverage(width: size.width)
        for y in 0..<size.height {
            for line in 0..<Self.linesPerRow {
                let spans = outline.spans(at: Double(y) + (Double(line) + 0.5) / Double(Self.linesPerRow))
                for span in spans { row.add(span) }
            }
            row.write(to: &bytes, at: y * size.width, lines: Self.linesPerRow)
        }
        return bytes
    }
}

/// The stretches of several lines across one row of pixels, added up.
private struct RowCoverage {
    /// What the ends of stretches cover of a pixel.
    private var parts: [Double]
    /// How many more stretches cover a pixel whole than the one before it.
    private var steps: [Int]
    private let width: Int

    init(width: Int) {
        self.width = width
        parts = [Double](repeating: 0, count: width + 1)
        steps = [Int](repeating: 0, count: width + 1)
    }

    mutating func add(_ span: Range<Double>) {
        let start = max(0, span.lowerBound)
        let end = min(Double(width), span.upperBound)
        guard start < end else { return }
        let (first, last) = (Int(start), Int(end))
        guard first < last else {
            parts[first] += end - start
            return
        }
        parts[first] += Double(first + 1) - start
        parts[last] += end - Double(last)
        steps[first + 1] += 1
        steps[last] -= 1
    }

    /// Writes the row's coverage and begins anew.
    mutating func write(to bytes: inout [UInt8], at offset: Int, lines: Int) {
        var whole = 0
        for x in 0..<width {
            whole += steps[x]
            let covered = (Double(whole) + parts[x]) / Double(lines)
            bytes[offset + x] = UInt8(rounding: 255 * covered)
            parts[x] = 0
            steps[x] = 0
        }
        parts[width] = 0
        steps[width] = 0
    }
}
