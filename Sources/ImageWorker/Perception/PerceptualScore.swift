import Glibc

/// The score of SSIMULACRA 2.1 for an image against its reference: 100 for equal ones but for rounding, 90 where no difference is seen,
/// about 75 for photographs at the default qualities, 50 where differences annoy, and below 0 for very bad ones.
///
/// Structural similarity and differences of edges in XYB at five scales (J. Sneyers, 2022–23). Of its 108 terms those with a weight
/// below 0.1 are left out, which changes a photograph's score by less than 0.1; most planes at full size go with them. For images with
/// a side below 256 pixels, which have fewer scales, the reference tool gives weights to terms that they do not belong to; here terms
/// of missing scales are left out.
///
/// Own code, since no library that a worker links measures it. A packaged C library of SSIMULACRA 2 that takes no more time for a
/// comparison can replace it.
struct PerceptualScore {
    /// A reference at one scale.
    struct Scale {
        let width: Int
        let height: Int
        /// The planes that have terms, by channel.
        var planes: [Int: Plane] = [:]

        struct Plane {
            let values: [Float]
            let mean: [Float]
            let square: [Float]
        }
    }

    /// What is measured, in each pixel.
    private enum Kind: Int {
        /// The loss of structure.
        case structure
        /// Edges that the reference does not have.
        case artifact
        /// Edges that the reference has and the image does not.
        case detail
    }

    private struct Term {
        let channel: Int
        let scale: Int
        let kind: Kind
        /// Whether the fourth root of the mean fourth power counts instead of the mean.
        let isPeak: Bool
        let weight: Float

        init(_ channel: Int, _ scale: Int, _ kind: Kind, peak: Bool, _ weight: Float) {
            (self.channel, self.scale, self.kind, isPeak, self.weight) = (channel, scale, kind, peak, weight)
        }
    }

    private static let terms = [
        Term(0, 1, .structure, peak: true, 1.104_172_6), Term(0, 2, .structure, peak: true, 1.842_245_6),
        Term(0, 2, .artifact, peak: true, 11.441_173), Term(0, 3, .structure, peak: true, 1.878_759_5),
        Term(0, 3, .artifact, peak: true, 10.949_07), Term(0, 4, .artifact, peak: false, 0.967_793_7),
        Term(0, 4, .artifact, peak: true, 0.998_176_7), Term(1, 0, .structure, peak: true, 7.466_890_3),
        Term(1, 0, .detail, peak: true, 17.445_834), Term(1, 1, .structure, peak: true, 6.683_678),
        Term(1, 1, .detail, peak: true, 1.027_889_9), Term(1, 2, .structure, peak: false, 225.205_15),
        Term(1, 2, .structure, peak: true, 19.213_238), Term(1, 3, .structure, peak: false, 176.393_18),
        Term(1, 3, .structure, peak: true, 24.433_01), Term(1, 3, .artifact, peak: true, 0.285_208),
        Term(1, 4, .structure, peak: true, 34.779_063), Term(1, 4, .artifact, peak: true, 44.835_625),
        Term(2, 3, .structure, peak: true, 8.826_983), Term(2, 3, .artifact, peak: true, 23.192_433),
        Term(2, 4, .structure, peak: false, 95.108_05), Term(2, 4, .artifact, peak: false, 0.986_397_8),
        Term(2, 4, .detail, peak: false, 0.983_438_3), Term(2, 4, .artifact, peak: true, 171.266_73),
        Term(2, 4, .detail, peak: true, 0.980_785_9),
    ]
    private static let scaleCount = 5
    /// The shortest side that can be compared.
    static let shortestSide = 8

    /// The reference at full size, a half, a quarter and so on.
    private let scales: [Scale]
    /// The traits of the reference that predict how well encoders keep it; `nil` for a small image.
    let traits: PictureTraits?

    /// Creates the reference from 8-bit RGB or RGBA pixels, row by row without padding; no side is below `shortestSide`.
    @safe
    init(of pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int) {
        scales = Self.scales(LinearPlanes(pixels, width: width, height: height, bands: bands)).map { planes, channels in
            var scale = Scale(width: planes.width, height: planes.height)
            for channel in channels {
                let values = planes.planes[channel]
                scale.planes[channel] = Scale.Plane(
                    values: values,
                    mean: GaussianBlur.blurred(values, width: planes.width, height: planes.height),
                    square: GaussianBlur.blurred(values, values, width: planes.width, height: planes.height)
                )
            }
            return scale
        }
        traits = PictureTraits(pixels, bands: bands, scales: scales)
    }

    /// Returns the image at each scale, and the channels that have terms there.
    private static func scales(_ light: LinearPlanes) -> [(planes: OpsinPlanes, channels: [Int])] {
        var found: [(OpsinPlanes, [Int])] = []
        var light = light
        while found.count < scaleCount, min(light.width, light.height) >= shortestSide {
            let channels = Set(terms.filter { $0.scale == found.count }.map(\.channel)).sorted()
            found.append((OpsinPlanes(light, channels: channels), channels))
            light = light.halved()
        }
        return found
    }

    /// Returns the score of an image of the same size.
    @safe
    func callAsFunction(of pixels: UnsafeRawBufferPointer, bands: Int) -> Double {
        let full = scales[0]
        let made = Self.scales(LinearPlanes(pixels, width: full.width, height: full.height, bands: bands))
        var sum: Float = 0
        for (index, (scale, (planes, channels))) in zip(scales, made).enumerated() {
            for channel in channels {
                guard let reference = scale.planes[channel] else { continue }
                let terms = Self.terms.filter { $0.channel == channel && $0.scale == index }
                let measured = Self.measure(planes.planes[channel], against: reference, scale)
                for term in terms { sum += term.weight * measured[2 * term.kind.rawValue + (term.isPeak ? 1 : 0)] }
            }
        }
        return Self.score(Double(sum))
    }

    private static func score(_ sum: Double) -> Double {
        let raw = sum * 0.956_238_261_683_484_4
        let bent =
            2.326_765_642_916_932 * raw - 0.020_884_521_182_843_837 * raw * raw
            + 6.248_496_625_763_138e-05 * raw * raw * raw
        return bent > 0 ? 100 - 10 * pow(bent, 0.627_633_646_783_138_7) : 100
    }

    /// Returns the mean, and the fourth root of the mean fourth power, of each kind.
    private static func measure(_ values: [Float], against reference: Scale.Plane, _ scale: Scale) -> [Float] {
        let (width, height) = (scale.width, scale.height)
        let mean = GaussianBlur.blurred(values, width: width, height: height)
        let square = GaussianBlur.blurred(values, values, width: width, height: height)
        let product = GaussianBlur.blurred(values, reference.values, width: width, height: height)
        let planes = Comparison(reference: reference, values: values, mean: mean, square: square, product: product)
        var losses = [Float](repeating: 0, count: 3 * width)
        var sums = [Double](repeating: 0, count: 6)
        for y in 0..<height {
            planes.measure(from: y * width, into: &losses)
            for kind in 0..<3 {
                // A row's sum is exact enough in single precision; the sum of rows is not.
                var (plain, fourth) = (Float(0), Float(0))
                for x in kind * width..<(kind + 1) * width {
                    let square = losses[x] * losses[x]
                    plain += losses[x]
                    fourth += square * square
                }
                sums[2 * kind] += Double(plain)
                sums[2 * kind + 1] += Double(fourth)
            }
        }
        let count = Double(width * height)
        return sums.enumerated().map { index, sum in
            Float(index % 2 == 0 ? sum / count : (sum / count).squareRoot().squareRoot())
        }
    }

    /// One plane of both images, and the local means of their values, squares and products.
    private struct Comparison {
        let reference: Scale.Plane
        let values: [Float]
        let mean: [Float]
        let square: [Float]
        let product: [Float]

        /// Measures one row: a third of `losses` for each kind.
        func measure(from start: Int, into losses: inout [Float]) {
            let width = losses.count / 3
            for x in 0..<width {
                let index = start + x
                let (ours, theirs) = (reference.mean[index], mean[index])
                let off = ours - theirs
                let above = 2 * (product[index] - ours * theirs) + Self.flatness
                let below = reference.square[index] - ours * ours + square[index] - theirs * theirs + Self.flatness
                let contrast = 1 + abs(reference.values[index] - ours)
                let edges = (1 + abs(values[index] - theirs)) / contrast - 1
                losses[x] = max(1 - (1 - off * off) * above / below, 0)
                losses[width + x] = max(edges, 0)
                losses[2 * width + x] = max(-edges, 0)
            }
        }

        /// The variance below which structure counts less (the constant C2 of SSIM).
        private static let flatness: Float = 0.0009
    }
}
