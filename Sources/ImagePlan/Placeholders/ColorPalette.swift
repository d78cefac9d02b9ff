/// The main colours of an image with their shares: clusters of similar pixels instead of a mean that may not occur.
package struct ColorPalette: Hashable, Sendable {
    /// The maximum number of colours.
    package static let maximumCount = 6

    /// A colour and the share of the visible image that is similar to it.
    package struct Entry: Hashable, Sendable {
        /// Opaque.
        package var color: Color
        /// The share, 0–1; all shares add up to 1.
        package var share: Double
    }

    /// The colours, most frequent first; empty if nothing is visible.
    package let entries: [Entry]

    /// The most frequent colour; `nil` if nothing is visible.
    package var dominant: Color? { entries.first?.color }

    /// Finds the colours of an image by k-means in Oklab, seeded with colours that are frequent and far apart.
    package init(of picture: TinyPicture) {
        let samples = Self.samples(of: picture)
        var centres = Self.seeds(samples)
        guard !centres.isEmpty else {
            entries = []
            return
        }
        var clusters: [Cluster] = []
        for _ in 0..<Self.rounds {
            clusters = Self.clusters(samples, around: centres)
            centres = clusters.map(\.centre)
        }
        let total = clusters.reduce(0) { $0 + $1.weight }
        entries = Self.merged(clusters)
            .sorted { $0.weight > $1.weight }
            .map { Entry(color: $0.centre.color, share: $0.weight / total) }
    }

    private static let rounds = 8
    /// The squared distance below which colours look alike: 0.08 in Oklab, about a tenth of black to white.
    private static let likeness = 0.0064

    /// The mean of the pixels in one cell of a coarse histogram.
    private struct Sample {
        var color: Oklab
        var weight: Double
    }

    private struct Cluster {
        var sum = Oklab(lightness: 0, a: 0, b: 0)
        var weight = 0.0

        var centre: Oklab { Oklab(lightness: sum.lightness / weight, a: sum.a / weight, b: sum.b / weight) }

        mutating func add(_ color: Oklab, _ weight: Double) {
            sum.lightness += color.lightness * weight
            sum.a += color.a * weight
            sum.b += color.b * weight
            self.weight += weight
        }
    }

    /// The samples of up to 4,096 (16 × 16 × 16) cells, weighted by alpha, in a fixed order.
    private static func samples(of picture: TinyPicture) -> [Sample] {
        var cells = [Cell](repeating: Cell(), count: 1 << 12)
        for start in stride(from: 0, to: picture.rgba.count, by: 4) {
            let (red, green, blue) = (picture.rgba[start], picture.rgba[start + 1], picture.rgba[start + 2])
            let weight = Int(picture.rgba[start + 3])
            let cell = Int(red >> 4) << 8 | Int(green >> 4) << 4 | Int(blue >> 4)
            cells[cell].red += Int(red) * weight
            cells[cell].green += Int(green) * weight
            cells[cell].blue += Int(blue) * weight
            cells[cell].weight += weight
        }
        return cells.filter { $0.weight > 0 }.map(\.sample)
    }

    /// Sums of encoded values times alpha; within a cell, averaging them is close enough to averaging linear light.
    private struct Cell {
        var red = 0
        var green = 0
        var blue = 0
        var weight = 0

        var sample: Sample {
            func mean(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
            let color = Color(red: mean(red), green: mean(green), blue: mean(blue))
            return Sample(color: Oklab(color), weight: Double(weight) / 255)
        }
    }

    private static func seeds(_ samples: [Sample]) -> [Oklab] {
        guard let first = samples.max(by: { $0.weight < $1.weight }) else { return [] }
        var seeds = [first.color]
        while seeds.count < maximumCount {
            func merit(_ sample: Sample) -> Double {
                sample.weight * (seeds.map { sample.color.distance(to: $0) }.min() ?? 0)
            }
            guard let next = samples.max(by: { merit($0) < merit($1) }), merit(next) > 0 else { break }
            seeds.append(next.color)
        }
        return seeds
    }

    private static func clusters(_ samples: [Sample], around centres: [Oklab]) -> [Cluster] {
        var clusters = centres.map { _ in Cluster() }
        for sample in samples {
            let nearest = centres.indices.min {
                sample.color.distance(to: centres[$0]) < sample.color.distance(to: centres[$1])
            }
            if let nearest { clusters[nearest].add(sample.color, sample.weight) }
        }
        return clusters.filter { $0.weight > 0 }
    }

    /// Merges clusters that look alike, the lighter into the heavier one.
    private static func merged(_ clusters: [Cluster]) -> [Cluster] {
        var result: [Cluster] = []
        for cluster in clusters.sorted(by: { $0.weight > $1.weight }) {
            if let like = result.firstIndex(where: { $0.centre.distance(to: cluster.centre) < likeness }) {
                result[like].add(cluster.centre, cluster.weight)
            } else {
                result.append(cluster)
            }
        }
        return result
    }
}
