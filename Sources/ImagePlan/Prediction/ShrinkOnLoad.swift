/// Chooses the factor by which a JPEG is reduced while decoding, which is most of the cost of a small result.
///
/// WebP is always loaded in full: libwebp decodes everything before scaling, so there is little to gain.
package enum ShrinkOnLoad {
    /// The largest of 8, 4 and 2 that leaves the first resize at least 1.75 times its result on each axis; otherwise 1.
    ///
    /// The meaning of every step before the resize is preserved.
    ///
    /// - Parameters:
    ///   - steps: the plan, resolved on the size after orientation.
    ///   - source: the size after orientation.
    ///   - orientation: the EXIF orientation, 1–8, applied before the steps.
    ///   - bytes: the maximum bytes of decoded pixels. If the factor exceeds them, the smallest that does not is used, as long as
    ///     it leaves the first resize at least the size of its result.
    package static func factor(
        for format: ImageFormat,
        steps: [ResolvedStep],
        source: PixelSize,
        orientation: Int,
        within bytes: Int = .max
    ) -> Int {
        guard format == .jpeg else { return 1 }
        let usual = Self.factor(among: [8, 4, 2], steps: steps, source: source, orientation: orientation)
        guard DecodeBudget.bytes(of: source, loadedSmallerBy: usual) > bytes else { return usual }
        let smaller = [2, 4, 8].filter { DecodeBudget.bytes(of: source, loadedSmallerBy: $0) <= bytes }
        for factor in smaller {
            let found = Self.factor(among: [factor], steps: steps, source: source, orientation: orientation, room: 4)
            if found > 1 { return found }
        }
        return usual
    }

    /// The first of `factors`, given largest first, by which a source may be reduced under the same rules; otherwise 1.
    ///
    /// Always 1 for a resize in linear light: a reduction is the mean of stored values.
    ///
    /// - Parameter room: how much larger than the result the reduced image must be, in quarters.
    package static func factor(
        among factors: [Int],
        steps: [ResolvedStep],
        source: PixelSize,
        orientation: Int,
        room: Int = usualRoom
    ) -> Int {
        guard let index = steps.firstIndex(where: { $0.step is ResizeStep }),
            let resize = steps[index].step as? ResizeStep, !resize.isLinear
        else { return 1 }
        let input = steps[index].input.size
        let scaled = resize.geometry(for: input).scaled
        for factor in factors where leavesEnough(of: input, for: scaled, factor: factor, room: room) {
            if isExact(steps[..<index], source: source, orientation: orientation, factor: factor) { return factor }
        }
        return 1
    }

    /// The factor by which an image may stay reduced from a blur to the next resize; 1 for none.
    ///
    /// - Parameters:
    ///   - following: the steps after the blur, resolved; those before the resize must keep their meaning on the reduced image.
    ///   - loaded: the factor by which the image is already reduced.
    package static func factor(under blur: BlurStep, before following: ArraySlice<ResolvedStep>, loaded: Int) -> Int {
        guard let index = following.firstIndex(where: { $0.step is ResizeStep }),
            let resize = following[index].step as? ResizeStep, !resize.isLinear
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

    /// Maps a rectangle of the full-size image to the reduced one.
    ///
    /// Exact for a factor chosen by `factor(for:steps:source:orientation:)`. An edge of the image maps to an edge, even if the
    /// decoder rounded the size.
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

    /// How much larger than the result a reduced image usually is, in quarters.
    package static let usualRoom = 7

    /// Whether an image reduced by `factor` is still at least 1.75 times as large, or by `room`, as the result of a resize.
    package static func leavesEnough(
        of input: PixelSize,
        for scaled: PixelSize,
        factor: Int,
        room: Int = usualRoom
    ) -> Bool {
        4 * input.width >= room * factor * scaled.width && 4 * input.height >= room * factor * scaled.height
    }

    /// Whether every step before the resize falls on whole pixels of the reduced image.
    private static func isExact(
        _ steps: ArraySlice<ResolvedStep>,
        source: PixelSize,
        orientation: Int,
        factor: Int
    ) -> Bool {
        // If the decoder rounds a side, only coordinates counted from the stored image's left and top edges are exact.
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
