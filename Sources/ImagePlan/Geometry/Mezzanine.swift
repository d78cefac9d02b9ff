/// A large original kept at a whole fraction of its size, so that it is decoded once and not for each width.
///
/// Means exactly what shrink-on-load by its factor means: a plan that may load the original so small may be made from it, and no
/// other (`ShrinkOnLoad`). Sizes, crops and focal points stay those of the original.
package struct Mezzanine: Hashable, Sendable {
    /// How many times smaller than the original, on each axis; one of `factors`.
    package let factor: Int

    /// The factors that are kept, smallest pictures first.
    ///
    /// At 12 MP the one of 4 (1008 × 756) serves widths up to 576 px and the one of 2 widths up to 1152.
    package static let factors = [4, 2]

    /// Pixels of a frame from which an original is worth it: below, decoding is not what a result costs.
    package static let leastPixels = 3_000_000

    /// One of the kept factors.
    package init(factor: Int) {
        precondition(Self.factors.contains(factor))
        self.factor = factor
    }

    /// What stands for a plan where a worker is to make it: no request can spell it.
    package var planText: String { Self.planPrefix + String(factor) }

    /// Reads `planText`.
    package init?(planText: String) {
        guard planText.hasPrefix(Self.planPrefix), let factor = Int(planText.dropFirst(Self.planPrefix.count)),
            Self.factors.contains(factor)
        else { return nil }
        self.factor = factor
    }

    private static let planPrefix = "mezzanine/1?factor="

    /// The smallest that a plan may be made from; `nil` where none will do, or the original is not worth it.
    ///
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - header: what the original says of itself, as sniffed.
    package static func smallest(for plan: String, of header: ImageHeader) -> Mezzanine? {
        guard header.frames == 1, isReducible(header.format),
            header.width.multipliedSaturated(by: header.height) >= leastPixels,
            // Words about a picture tell of its original's bytes, and metadata are the original's alone.
            let plan = try? Plan(canonicalText: plan), !plan.settings.format.isWords, plan.settings.metadata == .strip,
            // The first page is what is kept.
            plan.settings.animation.page == 0,
            let steps = try? PlanGeometry.resolve(plan, source: header.orientedSize, maximumPixels: .max)
        else { return nil }
        let factor = ShrinkOnLoad.factor(
            among: factors,
            steps: steps,
            source: header.orientedSize,
            orientation: header.orientation
        )
        return factor == 1 ? nil : Mezzanine(factor: factor)
    }

    /// Those that will do as well where this one is not at hand: larger ones.
    package var alternatives: [Mezzanine] { Self.factors.filter { $0 < factor }.map { Mezzanine(factor: $0) } }

    /// Formats whose decoders do all the work for a small result as well, and whose header says their size.
    private static func isReducible(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .webp, .avif, .heic, .tiff, .jxl, .jp2: true
        case .gif, .bmp, .ico, .svg, .svgz, .pdf: false
        }
    }
}

/// The original of which a job's source is a reduction: results are those of the original.
package struct Reduction: Hashable, Sendable {
    /// How many times smaller the source is, on each axis: 2 or 4.
    package var factor: Int
    /// What the original said of itself.
    package var original: ImageHeader

    /// Names an original.
    package init(factor: Int, original: ImageHeader) {
        self.factor = factor
        self.original = original
    }

    /// The reduction's own stored size.
    package var size: PixelSize {
        // As libvips loads a JPEG smaller: a rest at the right or bottom edge goes.
        PixelSize(width: max(1, original.width / factor), height: max(1, original.height / factor))
    }
}
