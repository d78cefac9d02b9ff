/// The perceptual distance between two images: 0 for equal ones, and about 1 for photographs of some hundred pixels at the default
/// quality of WebP, a little more at JPEG's and less at AVIF's (Benchmarks/README.md).
///
/// A variant of multi-scale SSIM (Z. Wang, E. Simoncelli, A. Bovik, 2003): luma at five scales and chroma at the four smaller ones,
/// pooled by root mean square, so that one bad region counts more than the same loss spread evenly. It ranks encodings of one image
/// across formats; it does not measure absolute quality.
///
/// Own code, since no library that a worker links measures this distance. A packaged C library that ranks the images
/// of `PerceptualDistanceTests` in the same order, in no more time for a comparison, can replace it; the values of
/// `quality.distance` would have to be converted to its scale.
struct PerceptualDistance {
    /// The levels of the reference image.
    private let luma: [Level]
    private let colours: [[Level]]

    /// A plane at one scale and its sums.
    private struct Level {
        let plane: PicturePlane
        let sums: BlockSums
    }

    /// The weights of the luma scales from full size down: the sensitivities of the paper.
    private static let weights: [Float] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]
    /// The weights of the chroma scales from half size down, since the eye resolves colour less finely.
    private static let colourWeights: [Float] = [0.025, 0.075, 0.075, 0.075]
    /// The variances that hide smaller differences, in levels squared, per scale.
    ///
    /// Noise averages out at coarser scales; what remains there is an edge, such as a block boundary in a sky.
    private static let masking: [Float] = [60, 40, 30, 20, 15]
    /// The difference of means that counts as total loss, in levels squared.
    private static let shift: Float = 100
    /// The factor of both for chroma.
    private static let colourFactor: Float = 4
    /// Scales the distance at default qualities to about 1.
    private static let unit: Float = 80
    /// The shortest side that can be compared: two windows.
    static let shortestSide = 16

    /// Creates the reference from 8-bit RGB or RGBA pixels, row by row without padding.
    @safe
    init(of pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int) {
        let planes = PicturePlane.planes(of: pixels, width: width, height: height, bands: bands)
        luma = Self.levels(planes.luma)
        colours = [Self.levels(planes.blue.halved()), Self.levels(planes.red.halved())]
    }

    /// Returns the distance of an image of the same size.
    @safe
    func callAsFunction(to pixels: UnsafeRawBufferPointer, bands: Int) -> Double {
        guard let full = luma.first?.plane else { return 0 }
        let made = PicturePlane.planes(of: pixels, width: full.width, height: full.height, bands: bands)
        var (loss, weight) = Self.compare(made.luma, with: luma, Self.weights, factor: 1)
        for (plane, levels) in zip([made.blue, made.red], colours) {
            // For an image too small for all scales, the weights of the others are normalised.
            let part = Self.compare(plane.halved(), with: levels, Self.colourWeights, factor: Self.colourFactor)
            loss += part.loss
        }
        weight = max(weight, Self.weights[0])
        return Double(Self.unit * loss / weight)
    }

    private static func levels(_ plane: PicturePlane) -> [Level] {
        var levels: [Level] = []
        var plane = plane
        while levels.count < weights.count, min(plane.width, plane.height) >= shortestSide {
            levels.append(Level(plane: plane, sums: BlockSums(plane)))
            plane = plane.halved()
        }
        return levels
    }

    private static func compare(
        _ plane: PicturePlane,
        with levels: [Level],
        _ weights: [Float],
        factor: Float
    ) -> (loss: Float, weight: Float) {
        var (loss, weight): (Float, Float) = (0, 0)
        var plane = plane
        let masking = Self.masking.suffix(weights.count)
        for ((level, own), masking) in zip(zip(levels, weights), masking) {
            let sums = BlockSums(plane, against: level.plane)
            loss += own * level.sums.loss(in: sums, masking: masking * factor, shift: shift * factor)
            weight += own
            plane = plane.halved()
        }
        return (loss, weight)
    }
}
