/// A cascade of boosted trees over Haar features, which tells faces from everything else in a window of some 20 pixels.
///
/// P. Viola and M. Jones, "Rapid Object Detection using a Boosted Cascade of Simple Features", CVPR 2001; trees as in R. Lienhart and
/// J. Maydt, ICIP 2002, without their tilted features. A stage adds one value per tree, and a window must reach every stage's threshold.
struct FaceCascade: Sendable {
    /// A rectangle of pixels in the window and the factor of their sum.
    struct Area: Sendable, Hashable {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        var weight: Float
    }

    /// A node of a tree: a feature's value below the threshold leads to `low`, any other to `high`.
    struct Node: Sendable {
        var feature: Int
        var threshold: Float
        var low: Branch
        var high: Branch
    }

    /// Where a node leads: another one's index in `nodes`, or a value that ends the tree.
    enum Branch: Sendable, Hashable {
        case node(Int)
        case leaf(Float)
    }

    struct Stage: Sendable {
        /// The first nodes of its trees.
        var roots: [Int]
        var threshold: Float
    }

    /// The window's size in pixels.
    let width: Int
    let height: Int
    let stages: [Stage]
    let nodes: [Node]
    /// Two or three areas each.
    let features: [[Area]]
}

extension FaceCascade {
    /// The sides of a window, in pixels, the most nodes and the most features; those of OpenCV have at most a third of either.
    private static let sides = 8...64
    private static let mostNodes = 1 << 15

    /// Parses OpenCV's XML format since version 2.4.
    init(parsing bytes: [UInt8]) throws(FaceData.Malformed) {
        var reader = StorageReader(bytes)
        var parts = Parts()
        while let leaf = try reader.next() { try parts.take(leaf) }
        guard parts.kind == "HAAR" else { throw FaceData.Malformed("has no Haar features") }
        guard Self.sides.contains(parts.width), Self.sides.contains(parts.height) else {
            throw FaceData.Malformed("has a window of \(parts.width) × \(parts.height) pixels")
        }
        guard !parts.stages.isEmpty, parts.stages.allSatisfy({ !$0.roots.isEmpty }), parts.roots.isEmpty else {
            throw FaceData.Malformed("has a stage without trees")
        }
        let areCovered = parts.features.joined().allSatisfy { area in
            area.left >= 0 && area.top >= 0 && area.width > 0 && area.height > 0 && area.left <= parts.width
                && area.top <= parts.height && area.width <= parts.width - area.left
                && area.height <= parts.height - area.top
        }
        guard areCovered, parts.features.allSatisfy({ (2...3).contains($0.count) }) else {
            throw FaceData.Malformed("has a feature outside its window")
        }
        guard parts.nodes.allSatisfy({ parts.features.indices.contains($0.feature) }) else {
            throw FaceData.Malformed("has a tree without its feature")
        }
        (width, height, stages) = (parts.width, parts.height, parts.stages)
        (nodes, features) = (parts.nodes, parts.features)
    }

    /// What has been read.
    private struct Parts {
        var kind = ""
        var width = 0
        var height = 0
        var stages: [Stage] = []
        var nodes: [Node] = []
        var features: [[Area]] = []
        /// The trees of the stage that is being read.
        var roots: [Int] = []
        private var threshold: Float = 0
        private var tree: [Float] = []
        private var areas: [Area] = []

        /// Takes an element; those that are not named here say how the cascade was trained.
        mutating func take(_ leaf: StorageReader.Leaf) throws(FaceData.Malformed) {
            let root = "opencv_storage/cascade/"
            guard leaf.path.hasPrefix(root) else { return }
            switch leaf.path.dropFirst(root.count) {
            case "featureType": kind = leaf.text.filter { !$0.isWhitespace }
            case "width": width = try Int(exactly: numbers(leaf, count: 1)[0]) ?? 0
            case "height": height = try Int(exactly: numbers(leaf, count: 1)[0]) ?? 0
            case "stages/_/stageThreshold": threshold = try numbers(leaf, count: 1)[0]
            case "stages/_/weakClassifiers/_/internalNodes": tree = try numbers(leaf)
            case "stages/_/weakClassifiers/_/leafValues": try plant(leaves: numbers(leaf))
            case "stages/_":
                stages.append(Stage(roots: roots, threshold: threshold))
                roots = []
            case "features/_/rects/_":
                let values = try numbers(leaf, count: 5)
                let sides = values.prefix(4).compactMap { Int(exactly: $0) }
                guard sides.count == 4, areas.count < 3 else { throw FaceData.Malformed("has an odd rectangle") }
                areas.append(
                    Area(left: sides[0], top: sides[1], width: sides[2], height: sides[3], weight: values[4])
                )
            case "features/_/tilted":
                guard try numbers(leaf, count: 1) == [0] else { throw FaceData.Malformed("has tilted features") }
            case "features/_":
                guard features.count < FaceCascade.mostNodes else { throw FaceData.Malformed("has too many features") }
                features.append(areas)
                areas = []
            default: break
            }
        }

        /// Adds the tree whose nodes have been read.
        ///
        /// A node has four numbers: two branches, the feature and the threshold. A branch above 0 is a node of the tree, any other a leaf.
        private mutating func plant(leaves: [Float]) throws(FaceData.Malformed) {
            let (start, count) = (nodes.count, tree.count / 4)
            guard count > 0, tree.count == 4 * count, start + count <= FaceCascade.mostNodes else {
                throw FaceData.Malformed("has an odd tree")
            }
            for node in 0..<count {
                let numbers = tree[(4 * node)..<(4 * node + 4)].map { Int(exactly: $0) }
                guard let low = numbers[0], let high = numbers[1], let feature = numbers[2] else {
                    throw FaceData.Malformed("has an odd tree")
                }
                var branches: [Branch] = []
                for branch in [low, high] {
                    // Only nodes that follow, so that every way down ends.
                    if branch > node, branch < count {
                        branches.append(.node(start + branch))
                    } else if branch <= 0, branch > -leaves.count {
                        branches.append(.leaf(leaves[-branch]))
                    } else {
                        throw FaceData.Malformed("has a tree that leads nowhere")
                    }
                }
                nodes.append(
                    Node(feature: feature, threshold: tree[4 * node + 3], low: branches[0], high: branches[1])
                )
            }
            roots.append(start)
            tree = []
        }

        /// The finite numbers of an element, separated by white space.
        private func numbers(_ leaf: StorageReader.Leaf, count: Int? = nil) throws(FaceData.Malformed) -> [Float] {
            var numbers: [Float] = []
            for word in leaf.text.split(whereSeparator: \.isWhitespace) {
                guard let number = Float(word), number.isFinite else {
                    throw FaceData.Malformed("has \"\(word.prefix(32))\" instead of a number")
                }
                numbers.append(number)
            }
            guard count == nil || numbers.count == count else {
                throw FaceData.Malformed("has \(numbers.count) numbers for \(count ?? 0)")
            }
            return numbers
        }
    }
}
