import Glibc
import ImagePlan

/// The largest polygon that fits into an image, centred.
struct PolygonOutline: MaskOutline {
    /// The corners of a polygon at any scale, y downwards.
    struct Corners {
        let points: [(x: Double, y: Double)]

        /// A regular polygon with a corner at the top, or with a side there.
        static func regular(_ count: Int, turned: Bool = false) -> Corners {
            Corners(
                points: (0..<count).map { index in
                    let angle = 2 * Double.pi * (Double(index) + (turned ? 0.5 : 0)) / Double(count)
                    return (sin(angle), -cos(angle))
                }
            )
        }

        /// The five-pointed star whose edges are a pentagram's.
        static let star = Corners(
            points: (0..<10).map { index in
                let angle = Double.pi * Double(index) / 5
                // The inner corners are where the pentagram's lines cross, at 1 ÷ φ² from the middle.
                let radius = index.isMultiple(of: 2) ? 1 : (3 - 5.0.squareRoot()) / 2
                return (radius * sin(angle), -radius * cos(angle))
            }
        )

        /// The heart curve 16 sin³ t, 13 cos t − 5 cos 2t − 2 cos 3t − cos 4t, with enough corners for a side in pixels to look smooth.
        static func heart(side: Int) -> Corners {
            let count = min(1024, max(256, 2 * side))
            return Corners(
                points: (0..<count).map { index in
                    let t = 2 * Double.pi * Double(index) / Double(count)
                    let y = 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)
                    return (16 * power(sin(t), 3), -y)
                }
            )
        }
    }

    private struct Edge {
        var top: Double
        var bottom: Double
        /// At the top.
        var x: Double
        var slope: Double
    }

    /// The edges that touch each row of pixels: a heart has a thousand, but only a few per row.
    private let rows: [[Edge]]

    /// Fits a polygon into an image.
    init(_ corners: Corners, in size: PixelSize) {
        let points = corners.points
        let (left, right) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 1)
        let (top, bottom) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 1)
        let box = MaskBox.fitting(width: right - left, height: bottom - top, in: size)
        let scale = box.width / (right - left)
        let placed = points.map { ((($0.x - left) * scale + box.left), ($0.y - top) * scale + box.top) }
        var rows = [[Edge]](repeating: [], count: size.height)
        for (index, from) in placed.enumerated() {
            let to = placed[(index + 1) % placed.count]
            let (upper, lower) = from.1 < to.1 ? (from, to) : (to, from)
            guard upper.1 < lower.1 else { continue }
            let edge = Edge(
                top: upper.1,
                bottom: lower.1,
                x: upper.0,
                slope: (lower.0 - upper.0) / (lower.1 - upper.1)
            )
            let last = min(size.height - 1, Int(lower.1))
            for row in max(0, min(last, Int(upper.1)))...last { rows[row].append(edge) }
        }
        self.rows = rows
    }

    func spans(at y: Double) -> [Range<Double>] {
        var crossings: [Double] = []
        // The lower end is excluded, so that a corner counts once.
        for edge in rows[Int(y)] where y >= edge.top && y < edge.bottom {
            crossings.append(edge.x + (y - edge.top) * edge.slope)
        }
        crossings.sort()
        return stride(from: 0, to: crossings.count - 1, by: 2).map { crossings[$0]..<crossings[$0 + 1] }
    }
}
