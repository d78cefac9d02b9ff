import Glibc

/// A Gaussian blur with a standard deviation of 1.5 pixels, cut off after five; outside the plane is 0.
enum GaussianBlur {
    private static let radius = 5
    /// The weights of the centre and of the pixels beside it.
    private static let weights: [Float] = {
        let values = (0...radius).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
        let sum = values[0] + 2 * values.dropFirst().reduce(0, +)
        return values.map { Float($0 / sum) }
    }()

    /// Blurs the product of two planes, row by row without padding, or one plane.
    static func blurred(_ first: [Float], _ second: [Float]? = nil, width: Int, height: Int) -> [Float] {
        let count = width * height
        precondition(width > radius && height > radius && first.count == count && (second?.count ?? count) == count)
        let (k0, k1, k2, k3, k4, k5) = (weights[0], weights[1], weights[2], weights[3], weights[4], weights[5])
        var line = [Float](repeating: 0, count: width + 2 * radius)
        // With rows of zeros above and below.
        var rows = [Float](repeating: 0, count: count + 2 * radius * width)
        unsafe first.withUnsafeBufferPointer { first in
            unsafe (second ?? []).withUnsafeBufferPointer { second in
                unsafe line.withUnsafeMutableBufferPointer { line in
                    unsafe rows.withUnsafeMutableBufferPointer { rows in
                        for y in 0..<height {
                            let (start, target) = (y &* width, (y &+ radius) &* width)
                            if second.isEmpty {
                                for x in 0..<width { unsafe line[x &+ radius] = first[start &+ x] }
                            } else {
                                for x in 0..<width {
                                    unsafe line[x &+ radius] = first[start &+ x] * second[start &+ x]
                                }
                            }
                            for x in 0..<width {
                                var sum = unsafe k0 * line[x &+ 5]
                                unsafe sum += k1 * (line[x &+ 4] + line[x &+ 6])
                                unsafe sum += k2 * (line[x &+ 3] + line[x &+ 7])
                                unsafe sum += k3 * (line[x &+ 2] + line[x &+ 8])
                                unsafe sum += k4 * (line[x &+ 1] + line[x &+ 9])
                                unsafe sum += k5 * (line[x] + line[x &+ 10])
                                unsafe rows[target &+ x] = sum
                            }
                        }
                    }
                }
            }
        }
        return unsafe [Float](unsafeUninitializedCapacity: count) { target, initialized in
            unsafe rows.withUnsafeBufferPointer { rows in
                for y in 0..<height {
                    let start = y &* width
                    for x in 0..<width {
                        let top = start &+ x
                        var sum = unsafe k0 * rows[top &+ 5 &* width]
                        unsafe sum += k1 * (rows[top &+ 4 &* width] + rows[top &+ 6 &* width])
                        unsafe sum += k2 * (rows[top &+ 3 &* width] + rows[top &+ 7 &* width])
                        unsafe sum += k3 * (rows[top &+ 2 &* width] + rows[top &+ 8 &* width])
                        unsafe sum += k4 * (rows[top &+ width] + rows[top &+ 9 &* width])
                        unsafe sum += k5 * (rows[top] + rows[top &+ 10 &* width])
                        unsafe target[top] = sum
                    }
                }
            }
            initialized = count
        }
    }
}
