/// A rectangle around a face, from the brows to the chin, in pixels.
struct FaceBox: Sendable, Hashable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double
    /// The number of windows that agreed on it.
    var votes = 1

    private static let likeness = 0.2

    /// Whether two windows may show the same face: their edges differ by at most a fifth of the smaller side.
    private func isLike(_ other: FaceBox) -> Bool {
        let most = Self.likeness * (min(width, other.width) + min(height, other.height)) / 2
        return abs(left - other.left) <= most && abs(top - other.top) <= most
            && abs(left + width - other.left - other.width) <= most
            && abs(top + height - other.top - other.height) <= most
    }

    /// The middle of the box.
    var middle: (x: Double, y: Double) { (left + width / 2, top + height / 2) }

    /// Joins the windows of one face to their mean, and drops those on which too few agree, and those within a face with more votes.
    static func agreed(_ windows: [FaceBox], votes least: Int) -> [FaceBox] {
        // The number of each window's group, the lowest index in it.
        var groups = Array(windows.indices)
        func group(_ index: Int) -> Int {
            var index = index
            while groups[index] != index { index = groups[index] }
            return index
        }
        for index in windows.indices {
            for other in 0..<index where windows[index].isLike(windows[other]) {
                let (first, second) = (group(index), group(other))
                groups[max(first, second)] = min(first, second)
            }
        }
        var sums: [Int: FaceBox] = [:]
        for index in windows.indices {
            let own = windows[index]
            var sum = sums[group(index)] ?? FaceBox(left: 0, top: 0, width: 0, height: 0, votes: 0)
            sum.left += own.left
            sum.top += own.top
            sum.width += own.width
            sum.height += own.height
            sum.votes += 1
            sums[group(index)] = sum
        }
        let faces = sums.sorted { $0.key < $1.key }.map(\.value).filter { $0.votes >= least }.map { sum in
            let count = Double(sum.votes)
            return FaceBox(
                left: sum.left / count,
                top: sum.top / count,
                width: sum.width / count,
                height: sum.height / count,
                votes: sum.votes
            )
        }
        return faces.filter { face in
            !faces.contains { other in
                let (x, y) = face.middle
                let isWithin =
                    x > other.left && x < other.left + other.width && y > other.top && y < other.top + other.height
                return isWithin && (other.votes, other.width) > (face.votes, face.width)
            }
        }
    }
}
