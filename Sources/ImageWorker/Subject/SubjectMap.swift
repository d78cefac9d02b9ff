/// How likely each pixel of a small picture shows its subject, as weights without a unit.
///
/// What is set off from the background counts (`BarrierDistance`), more so if it has the colour of skin, a little less far from the
/// middle, and more the higher it is within all that counts, since heads are on top. Faces add to it. Nothing is random.
struct SubjectMap {
    let width: Int
    let height: Int
    /// The weights, row by row, 0 or more.
    private(set) var weights: [Double]

    /// The weight of a step in chroma beside one in luma.
    private static let chroma: Int32 = 2
    /// The distance that counts in full, in 8-bit levels; pictures whose largest is smaller are flat, and their noise is no subject.
    private static let clearDistance = 32.0
    /// The weight of skin above that of other colours.
    private static let skin = 4.0
    /// The weight of the background, which decides where there is no subject.
    private static let background = 0.02
    /// The share that is taken from weights halfway to the corners and beyond.
    private static let margin = 0.5
    /// The weight of the top above that of the bottom.
    private static let top = 2.0
    /// The weight of a certain face with its shoulders, relative to that of the whole picture.
    private static let face = 1.0

    /// Weighs each pixel.
    init(of picture: SmallPicture, faces: [Face] = []) {
        width = picture.width
        height = picture.height
        let distances = Self.distances(in: picture)
        let largest = distances.max() ?? 0
        let scale = 1 / max(largest, Self.clearDistance)
        var weights = [Double](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                let share = distances[index] * scale * (1 + Self.skin * Self.skinLikeness(in: picture, at: index))
                let weight = (share + Self.background) * Self.middle(x, y, width, height)
                let opacity = picture.alpha.map { Double($0[index]) / Double(255 * SmallPicture.unit) } ?? 1
                weights[index] = weight * weight * opacity
            }
        }
        Self.raise(&weights, width: width, by: Self.top * min(1, largest / Self.clearDistance))
        self.weights = weights
        add(faces)
    }

    /// Adds the weights of faces, in proportion to their areas.
    private mutating func add(_ faces: [Face]) {
        let total = weights.reduce(0, +)
        for face in faces {
            let bust = face.bust
            let columns = Self.cells(from: bust.left, to: bust.right, of: width)
            let rows = Self.cells(from: bust.top, to: bust.bottom, of: height)
            let weight = Self.face * total * face.weight / Double(columns.count * rows.count)
            for y in rows {
                for x in columns { weights[y * width + x] += weight }
            }
        }
    }

    /// The cells between two places, which are fractions of a side; at least one.
    private static func cells(from start: Double, to end: Double, of count: Int) -> Range<Int> {
        let first = min(count - 1, max(0, Int((start * Double(count)).rounded())))
        return first..<max(first + 1, min(count, Int((end * Double(count)).rounded())))
    }

    /// The sums of all planes' barrier distances, each the mean of two sides', in 8-bit levels.
    private static func distances(in picture: SmallPicture) -> [Double] {
        let (width, height) = (picture.width, picture.height)
        var sums = BarrierDistance(picture.luma, width: width, height: height).values
        var planes = [(picture.blue, chroma), (picture.red, chroma)]
        if let alpha = picture.alpha { planes.append((alpha, 1)) }
        for (plane, weight) in planes {
            let values = BarrierDistance(plane, width: width, height: height).values
            for index in sums.indices { sums[index] += weight * values[index] }
        }
        return sums.map { Double($0) / Double(2 * SmallPicture.unit) }
    }

    /// How much a pixel has the colour of skin, 0–1: an ellipse of chroma that fits all complexions, and no deep shadow.
    static func skinLikeness(in picture: SmallPicture, at index: Int) -> Double {
        let unit = Double(SmallPicture.unit)
        let blue = (Double(picture.blue[index]) / unit + 20) / 32
        let red = (Double(picture.red[index]) / unit - 26) / 28
        let light = (Double(picture.luma[index]) / unit - 40) / 40
        let nearness = max(0, 1 - blue * blue - red * red)
        return nearness * nearness * min(1, max(0, light))
    }

    /// The factor for the distance from the middle: 1 in the middle, less towards the edges.
    private static func middle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
        let horizontal = Double(2 * x + 1) / Double(width) - 1
        let vertical = Double(2 * y + 1) / Double(height) - 1
        return 1 - margin * min(1, horizontal * horizontal + vertical * vertical)
    }

    /// Raises each row's weights by the share of all weight that is below it.
    private static func raise(_ weights: inout [Double], width: Int, by strength: Double) {
        let total = weights.reduce(0, +)
        guard total > 0 else { return }
        var above = 0.0
        for row in stride(from: 0, to: weights.count, by: width) {
            let own = weights[row..<row + width].reduce(0, +)
            let factor = 1 + strength * (1 - (above + own / 2) / total)
            for index in row..<row + width { weights[index] *= factor }
            above += own
        }
    }
}
