import Glibc

/// The network YuNet, which tells for each place of three grids whether a face is there, and its box.
///
/// W. Wu, H. Peng and S. Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 2023; the outputs of
/// `face_detection_yunet_2023mar.onnx`.
struct FaceNetwork: Sendable {
    /// A face, in pixels.
    struct Detection: Hashable {
        var left: Double
        var top: Double
        var width: Double
        var height: Double
        /// How certain it is, 0–1.
        var score: Double
    }

    /// The least score of a face.
    static let leastScore = 0.6
    /// The share of the union of two boxes that is in both, above which they show the same face.
    private static let mostOverlap = 0.3
    /// The distances of the grids' places, in pixels.
    private static let grids = [8, 16, 32]

    private let network: NeuralNetwork

    /// Parses a model in the format of ONNX.
    init(parsing bytes: [UInt8]) throws(FaceData.Malformed) {
        let names = Self.grids.flatMap { grid in ["cls", "obj", "bbox"].map { "\($0)_\(grid)" } }
        network = try NeuralNetwork(ONNXGraph(parsing: bytes), outputs: names)
        let shapes = Self.grids.flatMap { grid in
            [1, 1, 4].map { NeuralNetwork.Shape(channels: $0, halvings: grid.trailingZeroBitCount) }
        }
        guard network.shapes == shapes else { throw FaceData.Malformed("has outputs of other shapes than YuNet's") }
    }

    /// Returns the faces of a picture, the most certain first.
    ///
    /// - Parameter pixels: rows of blue, green and red levels, 0–255.
    func faces(width: Int, height: Int, pixels: [SIMD3<Float>]) -> [Detection] {
        precondition(pixels.count == width * height)
        let step = network.alignment
        var picture = FeatureMap(
            width: (width + step - 1) / step * step,
            height: (height + step - 1) / step * step,
            groups: 1
        )
        for y in 0..<height {
            for x in 0..<width {
                let pixel = pixels[y * width + x]
                picture.values[picture.index(x, y)] = SIMD8(pixel.x, pixel.y, pixel.z, 0, 0, 0, 0, 0)
            }
        }
        let maps = network(picture)
        var found: [Detection] = []
        for (index, grid) in Self.grids.enumerated() {
            found += Self.detections(maps[3 * index], maps[3 * index + 1], maps[3 * index + 2], step: Double(grid))
        }
        return Self.distinct(found)
    }

    /// The boxes of one grid whose scores suffice: the kind's likeness, the object's likeness, and the middle and size in steps.
    private static func detections(
        _ likeness: FeatureMap,
        _ presence: FeatureMap,
        _ boxes: FeatureMap,
        step: Double
    ) -> [Detection] {
        var found: [Detection] = []
        for y in 0..<likeness.height {
            for x in 0..<likeness.width {
                let score = (sigmoid(likeness[x, y, 0]) * sigmoid(presence[x, y, 0])).squareRoot()
                guard score >= leastScore else { continue }
                let (width, height) = (exp(Double(boxes[x, y, 2])) * step, exp(Double(boxes[x, y, 3])) * step)
                let face = Detection(
                    left: (Double(x) + Double(boxes[x, y, 0])) * step - width / 2,
                    top: (Double(y) + Double(boxes[x, y, 1])) * step - height / 2,
                    width: width,
                    height: height,
                    score: score
                )
                if [face.left, face.top, width, height].allSatisfy(\.isFinite) { found.append(face) }
            }
        }
        return found
    }

    private static func sigmoid(_ value: Float) -> Double { 1 / (1 + exp(-Double(value))) }

    /// Keeps the most certain of detections that show the same face.
    private static func distinct(_ found: [Detection]) -> [Detection] {
        var kept: [Detection] = []
        let sorted = found.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }
        for (_, face) in sorted where !kept.contains(where: { $0.overlap(with: face) > mostOverlap }) {
            kept.append(face)
        }
        return kept
    }
}

extension FaceNetwork.Detection {
    /// The share of the union of two boxes that is in both.
    fileprivate func overlap(with other: Self) -> Double {
        let across = min(left + width, other.left + other.width) - max(left, other.left)
        let down = min(top + height, other.top + other.height) - max(top, other.top)
        guard across > 0, down > 0 else { return 0 }
        return across * down / (width * height + other.width * other.height - across * down)
    }
}
