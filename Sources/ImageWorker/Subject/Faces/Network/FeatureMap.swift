/// Numbers for each place of a picture, in groups of eight channels, with a border of one place of zeros.
struct FeatureMap {
    let width: Int
    let height: Int
    /// The number of groups; the last one may have channels that are not used.
    let groups: Int
    /// Row by row, border included, the groups of a place together.
    var values: [SIMD8<Float>]

    init(width: Int, height: Int, groups: Int) {
        (self.width, self.height, self.groups) = (width, height, groups)
        values = Array(repeating: SIMD8(), count: (width + 2) * (height + 2) * groups)
    }

    /// The groups between the places of a column in neighbouring rows.
    var rowStride: Int { (width + 2) * groups }

    /// The index of a place's first group; -1 and the width or height are the border.
    func index(_ x: Int, _ y: Int) -> Int { (y + 1) * rowStride + (x + 1) * groups }

    /// The value of a channel.
    subscript(x: Int, y: Int, channel: Int) -> Float { values[index(x, y) + (channel >> 3)][channel & 7] }

    /// Replaces negative values by zeros.
    mutating func rectify() {
        for index in values.indices { values[index].replace(with: 0, where: values[index] .< 0) }
    }

    /// Adds the values of another map of the same size.
    mutating func add(_ other: FeatureMap) {
        precondition(other.values.count == values.count && other.groups == groups)
        for index in values.indices { values[index] += other.values[index] }
    }

    /// The largest of each square of four places.
    func pooled() -> FeatureMap {
        var result = FeatureMap(width: width / 2, height: height / 2, groups: groups)
        for y in 0..<result.height {
            for x in 0..<result.width {
                let (from, to) = (index(2 * x, 2 * y), result.index(x, y))
                for group in 0..<groups {
                    let (left, right) = (from + group, from + groups + group)
                    let above = Self.larger(values[left], values[right])
                    let below = Self.larger(values[left + rowStride], values[right + rowStride])
                    result.values[to + group] = Self.larger(above, below)
                }
            }
        }
        return result
    }

    /// Each place as a square of four.
    func doubled() -> FeatureMap {
        var result = FeatureMap(width: 2 * width, height: 2 * height, groups: groups)
        for y in 0..<result.height {
            for x in 0..<result.width {
                let (from, to) = (index(x / 2, y / 2), result.index(x, y))
                for group in 0..<groups { result.values[to + group] = values[from + group] }
            }
        }
        return result
    }

    private static func larger(_ one: SIMD8<Float>, _ other: SIMD8<Float>) -> SIMD8<Float> {
        one.replacing(with: other, where: one .< other)
    }
}
