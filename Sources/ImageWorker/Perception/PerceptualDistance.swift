/// How far a picture looks from another: 0 for equal ones, and 1 about where photographs of some hundred pixels are at WebP's
/// default quality, somewhat above JPEG's and below AVIF's (Benchmarks/README.md).
///
/// Of the SSIM family (Z. Wang, E. Simoncelli, A. Bovik: Multi-scale structural similarity, 2003): luma at five scales, colours at
/// the four smaller ones, each pooled by its root mean square, so that one bad region counts more than the same loss everywhere.
/// It orders results of one picture, whichever format they have; it is no measure of beauty.
///
/// Own code, since none of the libraries that a worker links measures such a distance. A packaged C library that ranks the pictures
/// of `PerceptualDistanceTests` in the same order, in no more time for a comparison, can replace it; the values of
/// `quality.distance` would have to be converted to its scale.
struct PerceptualDistance {
    /// The picture that others are compared with.
    private let luma: [Level]
    private let colours: [[Level]]

    /// A plane at one scale, and its sums.
    private struct Level {
        let plane: PicturePlane
        let sums: BlockSums
    }

    /// What a scale of luma counts, from the full size on: the sensitivities of the paper.
    private static let weights: [Float] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]
    /// What a scale of each difference of colours counts, from half the size on: the eye sees these coarser.
    private static let colourWeights: [Float] = [0.025, 0.075, 0.075, 0.075]
    /// Variances that hide what is smaller, levels squared: noise averages out towards the coarser scales, and what stays there is
    /// an edge, however low, such as blocks leave in a sky.
    private static let masking: [Float] = [60, 40, 30, 20, 15]
    /// The difference of means that counts as all lost, levels squared.
    private static let shift: Float = 100
    /// How much larger both are for colours.
    private static let colourFactor: Float = 4
    /// Brings the defaults to about 1.
    private static let unit: Float = 80
    /// The shortest side that is compared: two windows.
    static let shortestSide = 16

    /// Takes pixels of 8-bit RGB or RGBA, row by row without gaps, as what others are compared with.
    @safe
    init(of pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int) {
        let planes = PicturePlane.planes(of: pixels, width: width, height: height, bands: bands)
        luma = Self.levels(planes.luma)
        colours = [Self.levels(planes.blue.halved()), Self.levels(planes.red.halved())]
    }

    /// The distance of pixels of the same size.
    @safe
    func callAsFunction(to pixels: UnsafeRawBufferPointer, bands: Int) -> Double {
        guard let full = luma.first?.plane else { return 0 }
        let made = PicturePlane.planes(of: pixels, width: full.width, height: full.height, bands: bands)
        var (loss, weight) = Self.compare(made.luma, with: luma, Self.weights, factor: 1)
        for (plane, levels) in zip([made.blue, made.red], colours) {
            // Of a picture too small for all scales the others count the more.
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
