import ImagePlan

/// A shape that returns the parts of horizontal lines inside it.
protocol MaskOutline {
    /// Returns the spans inside the shape at height `y`, in pixels from the top and left edges, each with its end after its start.
    func spans(at y: Double) -> [Range<Double>]
}

/// The antialiased coverage of a shape, 0–255 per pixel.
///
/// Sixteen exact lines per row of pixels give each pixel's area to within a few hundredths.
struct ShapeMask {
    private static let linesPerRow = 16

    let size: PixelSize
    let outline: any MaskOutline

    /// Returns the coverage, row by row.
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

/// The sum of the spans of several lines across one row of pixels.
private struct RowCoverage {
    /// The partial coverage of pixels at the ends of spans.
    private var parts: [Double]
    /// The difference in the number of spans that fully cover a pixel and the one before it.
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

    /// Writes the row's coverage and resets the sums.
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
