/// The choice of how much of a JPEG's resolution is left out while it is decoded, which is most of the cost of a small picture.
///
/// WebP is always loaded in full: libwebp decodes everything before it scales, so there is little to gain.
package enum ShrinkOnLoad {
    /// The largest of 8, 4, 2 at which the first resize is still given 1.75 times its result on each axis; else 1.
    ///
    /// Never changes the meaning of a step: what stands before the resize must mean the same on the smaller picture.
    ///
    /// - Parameters:
    ///   - steps: The plan, resolved on the size after orientation.
    ///   - source: The size after orientation.
    ///   - orientation: The EXIF orientation, 1–8, which is applied before the steps.
    package static func factor(
        for format: ImageFormat,
        steps: [ResolvedStep],
        source: PixelSize,
        orientation: Int
    ) -> Int {
        guard format == .jpeg else { return 1 }
        return Self.factor(among: [8, 4, 2], steps: steps, source: source, orientation: orientation)
    }

    /// The first of some factors, largest first, by which a source may be loaded smaller as above; else 1.
    package static func factor(
        among factors: [Int],
        steps: [ResolvedStep],
        source: PixelSize,
        orientation: Int
    ) -> Int {
        guard let index = steps.firstIndex(where: { $0.step is ResizeStep }),
            let resize = steps[index].step as? ResizeStep
        else { return 1 }
        let input = steps[index].input.size
        let scaled = resize.geometry(for: input).scaled
        for factor in factors where leavesEnough(of: input, for: scaled, factor: factor) {
            if isExact(steps[..<index], source: source, orientation: orientation, factor: factor) { return factor }
        }
        return 1
    }

    /// How many times smaller than it is a picture that is blurred may stay until the next resize; 1 where it may not.
    ///
    /// - Parameters:
    ///   - following: The steps behind the blur, resolved; those in front of the resize must mean the same on the smaller picture.
    ///   - loaded: How many times smaller the picture is already.
    package static func factor(under blur: BlurStep, before following: ArraySlice<ResolvedStep>, loaded: Int) -> Int {
        guard let index = following.firstIndex(where: { $0.step is ResizeStep }),
            let resize = following[index].step as? ResizeStep
        else { return 1 }
        var largest = blur.largestFactorBeforeResize
        for resolved in following[..<index] {
            switch resolved.step.loadRequirement(on: resolved.input) {
            case .anyScale: break
            case .smooth(let factor): largest = min(largest, factor)
            case .rectangle, .fullSize: return 1
            }
        }
        let input = following[index].input.size
        let scaled = resize.geometry(for: input).scaled
        let factors = stride(from: largest / loaded, to: 1, by: -1)
        return factors.first { factor in
            factor * loaded <= blur.largestFactor || leavesEnough(of: input, for: scaled, factor: factor * loaded)
        } ?? 1
    }

    /// A rectangle of the full-size picture on the picture as it was loaded.
    ///
    /// Exact under a factor that `factor(for:steps:source:orientation:)` has chosen; an edge of the picture stays its edge,
    /// also where the decoder rounded the size.
    package static func rectangle(
        _ rectangle: PixelRectangle,
        of picture: PixelSize,
        factor: Int,
        on loaded: PixelSize
    ) -> PixelRectangle {
        let left = min(rectangle.left / factor, loaded.width - 1)
        let top = min(rectangle.top / factor, loaded.height - 1)
        let right = rectangle.right == picture.width ? loaded.width : min(rectangle.right / factor, loaded.width)
        let bottom = rectangle.bottom == picture.height ? loaded.height : min(rectangle.bottom / factor, loaded.height)
        return PixelRectangle(left: left, top: top, width: max(1, right - left), height: max(1, bottom - top))
    }

    /// Whether a picture so many times smaller on each axis is still 1.75 times as large as what a resize makes of it.
    package static func leavesEnough(of input: PixelSize, for scaled: PixelSize, factor: Int) -> Bool {
        4 * input.width >= 7 * factor * scaled.width && 4 * input.height >= 7 * factor * scaled.height
    }

    /// Whether every step before the resize falls on whole pixels of the smaller picture.
    private static func isExact(
        _ steps: ArraySlice<ResolvedStep>,
        source: PixelSize,
        orientation: Int,
        factor: Int
    ) -> Bool {
        // Where the decoder rounds a side, only coordinates from the stored picture's own left and top edge stay exact.
        let divides = source.width.isMultiple(of: factor) && source.height.isMultiple(of: factor)
        var upright = orientation == 1
        for resolved in steps {
            switch resolved.step.loadRequirement(on: resolved.input) {
            case .fullSize:
                return false
            case .anyScale:
                upright = false
            case .smooth(let largestFactor):
                guard factor <= largestFactor else { return false }
            case .rectangle(let rectangle):
                let size = resolved.input.size
                guard divides || upright, rectangle.left.isMultiple(of: factor), rectangle.top.isMultiple(of: factor),
                    rectangle.right == size.width || rectangle.right.isMultiple(of: factor),
                    rectangle.bottom == size.height || rectangle.bottom.isMultiple(of: factor)
                else { return false }
            }
        }
        return true
    }
}

/// What a step before the first resize asks of a source that is loaded at a fraction of its size.
package enum LoadRequirement: Hashable, Sendable {
    /// Means the same at every scale, and its coordinates are the picture's edges: flips, quarter turns.
    case anyScale
    /// Cuts this rectangle: means the same where the rectangle's edges fall on whole pixels of the smaller picture too.
    case rectangle(PixelRectangle)
    /// Leaves nothing that a picture this many times smaller could not hold; its lengths are divided there.
    case smooth(largestFactor: Int)
    /// Depends on pixels of the full size.
    case fullSize
}
