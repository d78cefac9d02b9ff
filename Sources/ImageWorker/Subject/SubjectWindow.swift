import ImagePlan

/// The search of `gravity=subject`: the window that keeps the most of a picture's subject.
enum SubjectWindow {
    /// The share by which weights at a window's edge count less than in its middle, so that it centres what it keeps.
    private static let taper = 0.3
    /// The share by which a window must be better than another one that is nearer to the middle: more than rounding errors are.
    private static let tolerance = 1e-9
    /// The most faces, the heaviest ones, to whose heads windows are aligned.
    private static let mostAligned = 8

    /// Returns the top left corner of the best window.
    ///
    /// The middle of the picture is best if nothing in it stands out.
    /// - Parameters:
    ///   - size: the window's size, not larger than the picture.
    ///   - picture: the picture's size in pixels.
    ///   - map: the weights of the picture's pixels.
    ///   - faces: the picture's faces, whose heads are kept whole if possible.
    static func corner(of size: PixelSize, in picture: PixelSize, _ map: SubjectMap, faces: [Face] = []) -> (
        left: Int, top: Int
    ) {
        let heads = faces.sorted { $0.weight > $1.weight }.prefix(mostAligned).map(\.head)
        let columns = spans(of: size.width, in: picture.width, cells: map.width, heads.map { $0.left...$0.right })
        let rows = spans(of: size.height, in: picture.height, cells: map.height, heads.map { $0.top...$0.bottom })
        var best = (score: -1.0, left: 0, top: 0)
        var sums = [Double](repeating: 0, count: map.width)
        for top in rows {
            // The weights of each column in the rows of this window.
            for x in sums.indices { sums[x] = 0 }
            for (y, factor) in top.factors.enumerated() where factor > 0 {
                for x in sums.indices { sums[x] += factor * map.weights[y * map.width + x] }
            }
            for left in columns {
                var score = 0.0
                for x in sums.indices { score += left.factors[x] * sums[x] }
                if !faces.isEmpty {
                    score *= Face.keeping(
                        of: faces,
                        columns: left.part(of: size.width, in: picture.width),
                        rows: top.part(of: size.height, in: picture.height)
                    )
                }
                if score > best.score * (1 + tolerance) { best = (score, left.start, top.start) }
            }
        }
        return (best.left, best.top)
    }

    /// A window in one direction.
    private struct Span {
        /// Its first pixel.
        var start: Int
        /// What each of the map's weights counts: its share of the window, less towards the window's ends.
        var factors: [Double]

        /// The window in fractions of the picture's length.
        func part(of length: Int, in whole: Int) -> ClosedRange<Double> {
            Double(start) / Double(whole)...Double(start + length) / Double(whole)
        }
    }

    /// Returns the windows of a length that are compared, from the middle of the picture outwards.
    ///
    /// Those aligned with either edge of a head follow, since none of the others may keep all of a head that is almost as long as they are.
    /// - Parameters:
    ///   - length: the window's length in pixels.
    ///   - whole: the picture's length in pixels, not less than the window's.
    ///   - cells: the number of the map's columns or rows, at most that of the picture's.
    ///   - heads: in fractions of the picture's length.
    private static func spans(of length: Int, in whole: Int, cells: Int, _ heads: [ClosedRange<Double>]) -> [Span] {
        let slack = whole - length
        guard slack > 0 else { return [Span(start: 0, factors: [Double](repeating: 1, count: cells))] }
        let steps = min(max(1, cells / 2), slack)
        // Rounded down, as `gravity=center` is.
        var starts: [Int] = [slack / 2]
        for step in 1...steps {
            starts.append(slack * (steps - step) / (2 * steps))
            starts.append(slack * (steps + step) / (2 * steps))
        }
        for head in heads {
            let first = Int((head.lowerBound * Double(whole)).rounded(.down))
            let last = Int((head.upperBound * Double(whole)).rounded(.up))
            for start in [first, last - length] { starts.append(max(0, min(slack, start))) }
        }
        return starts.map { start in
            let edges = (0...cells).map { cell in
                let place = Double(cell) * Double(whole) / Double(cells) - Double(start)
                let distance = max(-1, min(1, 2 * place / Double(length) - 1))
                // The integral of 1 - taper × distance².
                return distance - taper * distance * distance * distance / 3
            }
            return Span(start: start, factors: zip(edges.dropFirst(), edges).map { $0 - $1 })
        }
    }
}

extension Raster {
    /// Returns the top left corner of the window of a size that keeps the most of the subject; the image must be 8-bit and in memory.
    func subjectOffset(of size: PixelSize) throws(VipsError) -> (left: Int, top: Int) {
        let picture = try SmallPicture(of: self)
        var faces: [Face] = []
        if case .ready(let finder, _) = FaceData.state { faces = try finder.faces(in: self, picture) }
        let map = SubjectMap(of: picture, faces: faces)
        return SubjectWindow.corner(of: size, in: PixelSize(width: width, height: height), map, faces: faces)
    }
}
