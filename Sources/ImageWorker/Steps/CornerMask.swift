import ImagePlan

/// The antialiased coverage of a rectangle with round corners, 0–255 per pixel.
///
/// The coverage of an arc pixel follows from its centre's distance to the arc, within a few hundredths of the exact area.
/// Rows are filled by spans and only arc pixels are computed, which is much cheaper than drawing an SVG.
struct CornerMask {
    let size: PixelSize
    /// The radii, fitted to the size (`CornerRadii.fitted`).
    let corners: CornerRadii

    /// Returns the coverage, row by row, of the shape inset by a number of pixels on all sides.
    func coverage(inset: Double = 0) -> [UInt8] {
        let width = Double(size.width)
        let height = Double(size.height)
        var bytes = [UInt8](repeating: 0, count: size.width * size.height)
        guard width > 2 * inset, height > 2 * inset else { return bytes }
        let columns = Self.line(length: size.width, inset: inset)
        let inner = CornerRadii(
            topLeft: max(0, corners.topLeft - inset),
            topRight: max(0, corners.topRight - inset),
            bottomRight: max(0, corners.bottomRight - inset),
            bottomLeft: max(0, corners.bottomLeft - inset)
        )
        var span = bytes.mutableSpan
        for row in 0..<size.height {
            let top = Double(row) + 0.5 - inset
            let bottom = height - Double(row) - 0.5 - inset
            let share = Self.clamped(min(top, bottom) + 0.5)
            guard share > 0 else { continue }
            let start = row * size.width
            for column in 0..<size.width {
                span[start + column] = share == 1 ? columns[column] : UInt8(Double(columns[column]) * share + 0.5)
            }
            let end = start + size.width - 1
            cut(&span, start, 1, inset: inset, radius: inner.topLeft, depth: top)
            cut(&span, start, 1, inset: inset, radius: inner.bottomLeft, depth: bottom)
            cut(&span, end, -1, inset: inset, radius: inner.topRight, depth: top)
            cut(&span, end, -1, inset: inset, radius: inner.bottomRight, depth: bottom)
        }
        return bytes
    }

    /// Returns the coverage of a line whose ends are cut off by `inset`.
    private static func line(length: Int, inset: Double) -> [UInt8] {
        (0..<length).map { index in
            let near = min(Double(index) + 0.5, Double(length - index) - 0.5) - inset
            return UInt8(clamped(near + 0.5) * 255 + 0.5)
        }
    }

    private static func clamped(_ value: Double) -> Double { max(0, min(1, value)) }

    /// Removes the part of a row outside of an arc, from the side at `start` inwards; `depth` is the row's distance from the edge.
    private func cut(
        _ bytes: inout MutableSpan<UInt8>,
        _ start: Int,
        _ step: Int,
        inset: Double,
        radius: Double,
        depth: Double
    ) {
        guard depth < radius else { return }
        let rise = radius - depth
        var column = 0
        while column < size.width {
            let run = radius - (Double(column) + 0.5 - inset)
            guard run > 0 else { return }
            let value = radius - (run * run + rise * rise).squareRoot() + 0.5
            guard value < 1 else { return }
            let index = start + column * step
            bytes[index] = min(bytes[index], UInt8(Self.clamped(value) * 255 + 0.5))
            column += 1
        }
    }
}
