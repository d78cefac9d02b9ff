/// A Huffman table with the shortest codes for the symbols of a scan (ITU-T T.81 §C and §K.2).
struct JPEGHuffmanTable {
    /// The number of codes of each length; index 0 is unused.
    private(set) var lengthCounts = [Int](repeating: 0, count: 17)
    /// The symbols in the order of their codes.
    private(set) var symbols: [UInt8] = []
    /// For each symbol its code, shifted left by eight bits, and its length in bits; 0 for symbols without a code.
    private(set) var codes = [UInt32](repeating: 0, count: 256)

    /// The longest code that a JPEG file can state, in bits.
    private static let longestCode = 16

    /// Creates the table for symbols that occur as often as `counts` says.
    init(counts: [Int]) {
        precondition(counts.count == 256)
        let lengths = Self.codeLengths(counts)
        let used = counts.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        var code: UInt32 = 0
        var length = 0
        for symbol in used {
            code <<= UInt32(lengths[symbol] - length)
            length = lengths[symbol]
            codes[symbol] = code << 8 | UInt32(length)
            lengthCounts[length] += 1
            symbols.append(UInt8(symbol))
            code += 1
        }
    }

    /// The table as in a DHT segment.
    var stated: [UInt8] { lengthCounts[1...].map { UInt8($0) } + symbols }

    /// The bits of all codes of symbols that occur as often as `counts` says.
    func bits(of counts: [Int]) -> Int {
        zip(counts, codes).reduce(0) { $0 + $1.0 * Int($1.1 & 0xFF) }
    }

    /// Returns the lengths of the codes in bits, 0 for symbols that do not occur.
    ///
    /// A reserved 257th symbol takes the code of ones only, which T.81 forbids.
    private static func codeLengths(_ counts: [Int]) -> [Int] {
        struct Node {
            var weight: Int
            var left = -1
            var right = -1
        }
        let used = counts.indices.filter { counts[$0] > 0 }
        guard !used.isEmpty else { return [Int](repeating: 0, count: 256) }
        // Leaves by weight, the reserved symbol first; merged nodes come out in the order of their weights, so two queues suffice.
        let leaves = used.sorted { (counts[$0], $1) < (counts[$1], $0) }
        var nodes = [Node(weight: 0)] + leaves.map { Node(weight: counts[$0]) }
        let leafCount = nodes.count
        var (nextLeaf, nextMerged) = (0, leafCount)
        func takeLightest(_ nodes: [Node]) -> Int {
            if nextMerged >= nodes.count
                || nextLeaf < leafCount && nodes[nextLeaf].weight <= nodes[nextMerged].weight
            {
                nextLeaf += 1
                return nextLeaf - 1
            }
            nextMerged += 1
            return nextMerged - 1
        }
        for _ in 1..<leafCount {
            let left = takeLightest(nodes)
            let right = takeLightest(nodes)
            nodes.append(Node(weight: nodes[left].weight + nodes[right].weight, left: left, right: right))
        }
        var depths = [Int](repeating: 0, count: nodes.count)
        for index in nodes.indices.reversed() where nodes[index].left >= 0 {
            depths[nodes[index].left] = depths[index] + 1
            depths[nodes[index].right] = depths[index] + 1
        }
        let numbers = limited(depths[..<leafCount])
        // The most frequent symbols take the shortest codes; the longest code is the reserved symbol's.
        var lengths = [Int](repeating: 0, count: 256)
        var length = 1
        var left = numbers
        for symbol in leaves.reversed() {
            while left[length] == 0 { length += 1 }
            lengths[symbol] = length
            left[length] -= 1
        }
        return lengths
    }

    /// Returns how many codes have each length, with no length above 16, including the reserved symbol's.
    private static func limited(_ depths: ArraySlice<Int>) -> [Int] {
        var numbers = [Int](repeating: 0, count: max(longestCode, depths.max() ?? 0) + 1)
        for depth in depths { numbers[depth] += 1 }
        // T.81 figure K.3: two of the longest codes become one that is a bit shorter, and a shorter code is split for the other.
        for length in stride(from: numbers.count - 1, to: longestCode, by: -1) {
            while numbers[length] > 0 {
                var shorter = length - 2
                while numbers[shorter] == 0 { shorter -= 1 }
                numbers[length] -= 2
                numbers[length - 1] += 1
                numbers[shorter + 1] += 2
                numbers[shorter] -= 1
            }
        }
        return numbers
    }
}
