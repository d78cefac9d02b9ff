import TestSupport

/// A picture of 480 × 200 pixels with a drawn head of 70, and a bright disc.
enum DrawnFace {
    /// Returns the grey level of the head at a place relative to its middle, in units of half its width; `nil` beside it.
    private static func level(_ x: Double, _ y: Double) -> UInt8? {
        func isIn(_ left: Double, _ top: Double, _ width: Double, _ height: Double) -> Bool {
            let (across, down) = ((x - left) / width, (y - top) / height)
            return across * across + down * down <= 1
        }
        // Mouth, nose and its shadow; eyes and brows, mirrored; face; hair.
        if isIn(0, 0.68, 0.3, 0.09) { return 90 }
        if isIn(0, 0.42, 0.18, 0.06) { return 135 }
        if isIn(0, 0.2, 0.1, 0.28) { return 225 }
        for side in [-0.36, 0.36] {
            if abs(x - side) <= 0.24, abs(y + 0.315) <= 0.045 { return 70 }
            if isIn(side, -0.08, 0.15, 0.08) { return 60 }
            if isIn(side, -0.12, 0.26, 0.15) { return 120 }
        }
        if isIn(0, 0.1, 0.78, 1.05) { return 195 }
        return isIn(0, -0.15, 1, 1.35) ? 40 : nil
    }

    /// The head around a place, and the disc, which stands out more, around another.
    static func picture(head: (x: Int, y: Int), disc: (x: Int, y: Int)) -> PixelImage {
        PixelImage(width: 480, height: 200, channels: 3) { x, y in
            if let level = level(Double(x - head.x) / 36, Double(y - head.y) / 36) { return [level, level, level] }
            let (across, down) = (x - disc.x, y - disc.y)
            return across * across + down * down < 2500 ? [250, 30, 20] : [120, 120, 120]
        }
    }
}
