import Glibc

/// Filters by definition, in floating point, that results are compared with.
package enum ReferenceFilters {
    /// A Gaussian to four deviations, with repeated edges, of the first three channels.
    package static func gaussian(_ image: PixelImage, sigma: Double) -> PixelImage {
        let reach = Int((4 * sigma).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = kernel.reduce(0, +)
        let weights = kernel.map { Float($0 / sum) }
        let (width, height) = (image.width, image.height)
        let planes = (0..<3).map { channel in
            let plane = (0..<width * height).map { Float(image.bytes[$0 * image.channels + channel]) }
            return passed(plane, width, height, weights, reach)
        }
        let bytes = (0..<width * height * 3).map { UInt8(min(max(planes[$0 % 3][$0 / 3], 0), 255).rounded()) }
        return PixelImage(width: width, height: height, channels: 3, bytes: bytes)
    }

    private static func passed(_ plane: [Float], _ width: Int, _ height: Int, _ weights: [Float], _ reach: Int)
        -> [Float]
    {
        var across = plane
        var result = plane
        for y in 0..<height {
            for x in 0..<width {
                var sum: Float = 0
                for tap in -reach...reach {
                    sum += plane[y * width + max(0, min(width - 1, x + tap))] * weights[tap + reach]
                }
                across[y * width + x] = sum
            }
        }
        for y in 0..<height {
            for x in 0..<width {
                var sum: Float = 0
                for tap in -reach...reach {
                    sum += across[max(0, min(height - 1, y + tap)) * width + x] * weights[tap + reach]
                }
                result[y * width + x] = sum
            }
        }
        return result
    }

    /// A resize with Lanczos weights of three lobes, with repeated edges, for factors below four.
    ///
    /// - Returns: the samples, which may be outside of 0–255.
    package static func lanczos(
        _ samples: [UInt8],
        width: Int,
        height: Int,
        bands: Int,
        newWidth: Int,
        newHeight: Int
    ) -> [Double] {
        let columns = weights(width, newWidth)
        var result: [Double] = []
        result.reserveCapacity(newWidth * newHeight * bands)
        for row in weights(height, newHeight) {
            for column in columns {
                for band in 0..<bands {
                    var sum = 0.0
                    for y in row {
                        for x in column {
                            let index = (y.place * width + x.place) * bands + band
                            sum += x.weight * y.weight * Double(samples[index])
                        }
                    }
                    result.append(sum)
                }
            }
        }
        return result
    }

    private static func weights(_ count: Int, _ target: Int) -> [[(place: Int, weight: Double)]] {
        let scale = Double(count) / Double(target)
        return (0..<target).map { index in
            let centre = (Double(index) + 0.5) * scale - 0.5
            var taps: [(place: Int, weight: Double)] = []
            for place in Int(centre - 3 * scale) - 2...Int(centre + 3 * scale) + 2 {
                let x = (Double(place) - centre) / scale
                guard abs(x) < 3 else { continue }
                let weight = x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
                taps.append((min(max(place, 0), count - 1), weight))
            }
            let sum = taps.reduce(0) { $0 + $1.weight }
            return taps.map { ($0.place, $0.weight / sum) }
        }
    }
}

extension PixelImage {
    /// Samples of RGB that are linear in the position: the first channel across, the second one down, and the third one 90.
    package static func ramp(width: Int, height: Int) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                samples.append(UInt8(x * 255 / max(1, width - 1)))
                samples.append(UInt8(y * 255 / max(1, height - 1)))
                samples.append(90)
            }
        }
        return samples
    }

    /// Samples of RGB like a blue sky's with noise.
    package static func noisySky(width: Int, height: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                for level in [110, 160, 220] {
                    let noise = Int.random(in: -7...7, using: &generator) + Int.random(in: -7...7, using: &generator)
                    samples.append(UInt8(level + y / 60 - x / 100 + noise))
                }
            }
        }
        return samples
    }

    /// The mean of each band.
    package static func means(_ samples: [UInt8], bands: Int) -> [Double] {
        var sums = [Int](repeating: 0, count: bands)
        for (index, sample) in samples.enumerated() { sums[index % bands] += Int(sample) }
        return sums.map { Double($0) * Double(bands) / Double(samples.count) }
    }
}
