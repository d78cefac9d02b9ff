/// Chooses the factor by which a JPEG is reduced while decoding, which is most of the cost of a small result.
///
/// WebP is always loaded in full: libwebp decodes everything before scaling, so there is little to gain.
package enum ShrinkOnLoad {
    /// The largest of 8, 4 and 2 that leaves the first resize enough pixels on each axis (`usualRoom`); otherwise 1.
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
    /// - Parameter room: how much larger than the result the reduced image must be, in quarters; `nil` for `usualRoom`.
    package static func factor(
        among factors: [Int],
        steps: [ResolvedStep],
        source: PixelSize,
        orientation: Int,
        room: Int? = nil
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
            factor * loaded <= blur.largestFactor
                || leavesEnough(of: input, for: scaled, factor: factor * loaded, room: blurredRoom)
        } ?? 1
    }

    /// The largest factor up to `most` by which an image may stay reduced without being enlarged by the next resize, which would repeat the
    /// edge of a reduced image; 1 for none.
    package static func factor(
        notEnlarging most: Int,
        before following: ArraySlice<ResolvedStep>,
        loaded: Int
    ) -> Int {
        guard let index = following.firstIndex(where: { $0.step is ResizeStep }),
            let resize = following[index].step as? ResizeStep
        else { return 1 }
        let input = following[index].input.size
        let scaled = resize.geometry(for: input).scaled
        return stride(from: most, to: 1, by: -1)
            .first { leavesEnough(of: input, for: scaled, factor: $0 * loaded, room: 4) } ?? 1
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

    /// How much larger than the result an image reduced by a factor is at least, in quarters: twice for 2, 1.75 times above.
    ///
    /// A reduction is a mean of blocks, which folds detail that the result could not show into false patterns. Differences to a Lanczos
    /// kernel on the whole image of 1200 px, as root mean squares of levels, of a zone plate and of noise with a spectrum of 1/f:
    ///
    /// | result | in full | by 2 | by 3 | by 4 |
    /// | --- | --- | --- | --- | --- |
    /// | 342 px | 0.4, 0.3 | 7.8, 2.0 | | |
    /// | 301 px | 0.4, 0.3 | 6.0, 1.5 | | |
    /// | 299 px | 0.4, 0.3 | 6.0, 1.5 | | |
    /// | 152 px | | 1.7, 0.5 | 2.5, 0.9 | 3.5, 1.6 |
    ///
    /// libvips, which leaves twice the result, takes the image in full at 301 px, by 2 at 299 px and by 3 at 152 px. At factors above 2
    /// the error is small either way, and twice would decode a JPEG of 12 MP for a width of 512 px at half its size instead of a quarter.
    package static func usualRoom(for factor: Int) -> Int { factor <= 2 ? 8 : 7 }

    /// The room for an image that a blur has already rid of such detail.
    private static let blurredRoom = 7

    /// Whether an image reduced by `factor` is still larger than the result of a resize by `room`, or `usualRoom`.
    package static func leavesEnough(
        of input: PixelSize,
        for scaled: PixelSize,
        factor: Int,
        room: Int? = nil
    ) -> Bool {
        let room = room ?? usualRoom(for: factor)
        return 4 * input.width >= room * factor * scaled.width && 4 * input.height >= room * factor * scaled.height
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
