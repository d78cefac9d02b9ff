/// A reduced copy of a large original, decoded once instead of for each width.
///
/// Equivalent to shrink-on-load by its factor: it can replace the original exactly for the plans that may load the original at
/// that factor (`ShrinkOnLoad`). Sizes, crops and focal points still refer to the original.
package struct Mezzanine: Hashable, Sendable {
    /// The reduction on each axis; one of `factors`.
    package let factor: Int

    /// The available factors, smallest copies first.
    ///
    /// For a 12 MP original, factor 4 (1008 × 756) serves widths up to 576 px and factor 2 widths up to 1008 px.
    package static let factors = [4, 2]

    /// The fewest pixels of an original worth reducing: below, decoding is not the main cost.
    package static let minimumPixels = 1_500_000

    /// The fewest pixels of an original of which two copies are worth their bytes: one of about a megapixel needs no smaller one.
    private static let minimumPixelsOfTwo = 5_000_000

    /// Creates a mezzanine; `factor` must be one of `factors`.
    package init(factor: Int) {
        precondition(Self.factors.contains(factor))
        self.factor = factor
    }

    /// The plan text with which a worker makes the copy; no request can contain it.
    package var planText: String { Self.planPrefix + String(factor) }

    /// Parses `planText`.
    package init?(planText: String) {
        guard planText.hasPrefix(Self.planPrefix), let factor = Int(planText.dropFirst(Self.planPrefix.count)),
            Self.factors.contains(factor)
        else { return nil }
        self.factor = factor
    }

    private static let planPrefix = "mezzanine/4?factor="

    /// The smallest mezzanine a plan can use; `nil` if there is none, or the original is too small to be worth it.
    ///
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - header: the original's sniffed header.
    package static func smallest(for plan: String, of header: ImageHeader) -> Mezzanine? {
        guard let steps = steps(of: plan, on: header) else { return nil }
        let factor = factor(for: steps, of: header)
        return factor == 1 ? nil : Mezzanine(factor: factor)
    }

    /// The mezzanines that cost little to make with a variant, smallest first: those that need no larger a decode than the variant, if
    /// that begins with a resize of the whole image.
    ///
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - header: the original's sniffed header.
    package static func made(with plan: String, of header: ImageHeader) -> [Mezzanine] {
        guard let steps = steps(of: plan, on: header) else { return [] }
        let factor = factor(for: steps, of: header)
        guard factor > 1 || (steps.first?.step as? ResizeStep)?.isLinear == false else { return [] }
        let all = factors(for: header).filter { $0 >= factor }
        let mayBeTwo = pixels(of: header) >= minimumPixelsOfTwo
        return (mayBeTwo ? all : all.suffix(1)).map { Mezzanine(factor: $0) }
    }

    /// The larger mezzanines that can stand in for this one.
    package var alternatives: [Mezzanine] { Self.factors.filter { $0 < factor }.map { Mezzanine(factor: $0) } }

    /// The steps of a plan that may use mezzanines; `nil` for others, and for an original that has none.
    private static func steps(of plan: String, on header: ImageHeader) -> [ResolvedStep]? {
        guard header.frames == 1, isReducible(header.format), !factors(for: header).isEmpty,
            // Descriptions report the original's bytes, and only the original has its metadata.
            let plan = try? Plan(canonicalText: plan), !plan.settings.format.isMetadata,
            plan.settings.metadata == .strip,
            // Only the first page is kept.
            plan.settings.animation.page == 0,
            // Mezzanines have no gain map.
            !plan.keepsGainMap(of: header)
        else { return nil }
        return try? PlanGeometry.resolve(plan, source: header.orientedSize, maximumPixels: .max)
    }

    /// The factors of an original's mezzanines, smallest copies first.
    ///
    /// A JPEG is decoded at a quarter of its size in much less time than at half of it; other formats are decoded at their size anyway.
    private static func factors(for header: ImageHeader) -> [Int] {
        let pixels = pixels(of: header)
        guard pixels >= minimumPixels else { return [] }
        return pixels >= minimumPixelsOfTwo || header.format == .jpeg ? factors : [2]
    }

    private static func pixels(of header: ImageHeader) -> Int { header.width.multipliedSaturated(by: header.height) }

    /// The factor of the smallest mezzanine that steps can use, otherwise 1.
    private static func factor(for steps: [ResolvedStep], of header: ImageHeader) -> Int {
        ShrinkOnLoad.factor(
            among: factors(for: header),
            steps: steps,
            source: header.orientedSize,
            orientation: header.orientation
        )
    }

    /// Formats whose decoders do the full work even for a small result, and whose headers state their size.
    private static func isReducible(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .webp, .avif, .heic, .tiff, .jxl, .jp2: true
        case .gif, .bmp, .ico, .svg, .svgz, .pdf, .other, .planes: false
        }
    }
}

/// The original behind a job whose source is a mezzanine or a lossless copy: results are computed as if from the original.
package struct Reduction: Hashable, Sendable {
    /// The reduction of the source on each axis: 1 for a `LosslessCopy`, else 2 or 4.
    package var factor: Int
    /// The original's header.
    package var original: ImageHeader

    /// Creates a reduction.
    package init(factor: Int, original: ImageHeader) {
        self.factor = factor
        self.original = original
    }

    /// The stored size of the reduced source.
    package var size: PixelSize { PixelSize(width: original.width, height: original.height).reduced(by: factor) }
}
