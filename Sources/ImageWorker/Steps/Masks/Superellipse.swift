import ImagePlan

/// The superellipse |x|ⁿ + |y|ⁿ ≤ 1 in a rectangle: an ellipse for n = 2, a squircle for n = 4.
struct Superellipse: MaskOutline {
    let exponent: Double
    let box: MaskBox

    func spans(at y: Double) -> [Range<Double>] {
        let height = abs(y - box.top - box.height / 2) / (box.height / 2)
        guard height < 1 else { return [] }
        let reach = power(1 - power(height, exponent), 1 / exponent) * box.width / 2
        let middle = box.left + box.width / 2
        return reach > 0 ? [middle - reach..<middle + reach] : []
    }
}

/// The rectangle that a shape fills, in pixels.
struct MaskBox {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    /// The whole image.
    static func whole(_ size: PixelSize) -> MaskBox {
        MaskBox(left: 0, top: 0, width: Double(size.width), height: Double(size.height))
    }

    /// The largest centred square.
    static func square(in size: PixelSize) -> MaskBox { fitting(width: 1, height: 1, in: size) }

    /// The largest centred rectangle of an aspect ratio.
    static func fitting(width: Double, height: Double, in size: PixelSize) -> MaskBox {
        let scale = min(Double(size.width) / width, Double(size.height) / height)
        return MaskBox(
            left: (Double(size.width) - scale * width) / 2,
            top: (Double(size.height) - scale * height) / 2,
            width: scale * width,
            height: scale * height
        )
    }
}
