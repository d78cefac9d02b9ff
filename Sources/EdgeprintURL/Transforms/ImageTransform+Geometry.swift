extension ImageTransform {
    /// Resizes (`w`, `h`); a second call replaces the sizes of the first, where it stands.
    ///
    /// With one side, the other follows from the aspect ratio.
    ///
    /// - Parameters:
    ///   - width: pixels, 1–16384, multiplied by the density.
    ///   - height: pixels, 1–16384, multiplied by the density.
    ///   - fit: how the image fills the box; `nil` keeps what a preset says, or `contain`.
    public func resize(width: Int? = nil, height: Int? = nil, fit: Fit? = nil) -> ImageTransform {
        resized(width.map(String.init), height.map(String.init), fit)
    }

    /// Resizes to the width that the browser displays, which it states as a client hint (`w=auto`).
    ///
    /// The source must use the hint (`client-hints`).
    ///
    /// - Parameter height: pixels, 1–16384, multiplied by the density.
    public func resizeToDisplayedWidth(height: Int? = nil, fit: Fit? = nil) -> ImageTransform {
        resized("auto", height.map(String.init), fit)
    }

    private func resized(_ width: String?, _ height: String?, _ fit: Fit?) -> ImageTransform {
        let sides = [width.map { Pair(name: "w", value: $0) }, height.map { Pair(name: "h", value: $0) }]
        let result = replacing(["w", "h"], by: sides.compactMap(\.self))
        return fit.map { result.setting("fit", $0.rawValue) } ?? result
    }

    /// Enlarges images whose scaled sides would be smaller (`min-w`, `min-h`); on its own, only those.
    ///
    /// - Parameters:
    ///   - width: pixels, 1–16384, multiplied by the density.
    ///   - height: pixels, 1–16384, multiplied by the density.
    public func atLeast(width: Int? = nil, height: Int? = nil) -> ImageTransform {
        let sides = [
            width.map { Pair(name: "min-w", value: String($0)) }, height.map { Pair(name: "min-h", value: String($0)) },
        ]
        return replacing(["min-w", "min-h"], by: sides.compactMap(\.self))
    }

    /// Enlarges images that are smaller than the size, too (`enlarge=1`); off by default.
    public func enlarging(_ isOn: Bool = true) -> ImageTransform { setting("enlarge", isOn ? "1" : nil) }

    /// Averages pixels in linear light (`linear=1`), so that fine detail keeps its brightness; off by default.
    public func inLinearLight(_ isOn: Bool = true) -> ImageTransform { setting("linear", isOn ? "1" : nil) }

    /// Multiplies the lengths of all steps except `crop` (`dpr`): device pixels per point.
    ///
    /// - Parameter ratio: 1–4, with up to six decimal places; 1 by default.
    public func density(_ ratio: Double) -> ImageTransform { setting("dpr", NumberText.of(ratio)) }

    /// Multiplies lengths by the ratio that the browser states as a client hint (`dpr=auto`).
    public func densityOfDisplay() -> ImageTransform { setting("dpr", "auto") }

    /// Says which part `cover`, `pad` and crops without coordinates keep (`gravity`); one for all of them.
    public func gravity(_ gravity: Gravity) -> ImageTransform { setting("gravity", gravity.text) }

    /// Cuts a rectangle out of the image as it is at this step (`crop=x,y,w,h`).
    ///
    /// Parts outside of the image are ignored. The density does not apply.
    public func crop(x: Length, y: Length, width: Length, height: Length) -> ImageTransform {
        adding("crop", [x, y, width, height].map(\.text).joined(separator: ","))
    }

    /// Cuts a rectangle out of the image, placed by the gravity (`crop=WxH`).
    public func crop(width: Length, height: Length) -> ImageTransform {
        adding("crop", "\(width.text)x\(height.text)")
    }

    /// Removes the margin that has the colour of the top left corner (`trim`).
    ///
    /// - Parameter threshold: how much a colour value may differ, 1–255.
    public func trim(threshold: Int) -> ImageTransform { adding("trim", String(threshold)) }

    /// Mirrors the image (`flip`).
    public func flip(_ direction: FlipDirection) -> ImageTransform { adding("flip", direction.rawValue) }

    /// Rotates the image clockwise (`rotate`); angles other than quarter turns grow the canvas.
    ///
    /// - Parameters:
    ///   - degrees: taken modulo 360.
    ///   - expands: whether the canvas grows; if not, corners are cut off (`expand=0`). One for all rotations; `nil` leaves it alone.
    public func rotate(degrees: Double, expands: Bool? = nil) -> ImageTransform {
        let rotated = adding("rotate", NumberText.of(degrees))
        return expands.map { rotated.setting("expand", $0 ? "1" : "0") } ?? rotated
    }

    /// Adds space on all sides (`pad`), filled with the background.
    ///
    /// - Parameter width: pixels, 1–16384, multiplied by the density.
    public func pad(_ width: Int) -> ImageTransform { adding("pad", String(width)) }

    /// Adds space (`pad`), filled with the background.
    ///
    /// All widths are pixels, 0–16384, multiplied by the density; not all are 0.
    public func pad(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) -> ImageTransform {
        adding("pad", [top, right, bottom, left].map(String.init).joined(separator: ","))
    }

    /// Rounds all corners (`round`).
    public func round(_ radius: CornerRadius) -> ImageTransform { adding("round", radius.text) }

    /// Rounds corners (`round`); not all radii are 0.
    public func round(
        topLeft: CornerRadius = 0,
        topRight: CornerRadius = 0,
        bottomRight: CornerRadius = 0,
        bottomLeft: CornerRadius = 0
    ) -> ImageTransform {
        adding("round", [topLeft, topRight, bottomRight, bottomLeft].map(\.text).joined(separator: ","))
    }

    /// Draws a line along the inside of the edge, which follows the corners of the `round` before it (`border`).
    ///
    /// - Parameter width: pixels, more than 0 to 16384, multiplied by the density.
    public func border(width: Double, _ color: ImageColor) -> ImageTransform {
        adding("border", "\(NumberText.of(width)),\(color.text)")
    }

    /// Cuts the image to a shape, centred and as large as fits (`mask`).
    public func mask(_ shape: MaskShape) -> ImageTransform { adding("mask", shape.rawValue) }

    /// Keeps what the luma of another image lets through (`mask`).
    ///
    /// - Parameter path: `SOURCE/PATH`, not percent-encoded.
    public func mask(imageAt path: String) -> ImageTransform { adding("mask", Watermark.encoded(path)) }
}

/// Which sides of an image change places.
public enum FlipDirection: String, Hashable, Sendable, CaseIterable {
    /// Left and right.
    case horizontal = "h"
    /// Top and bottom.
    case vertical = "v"
    /// Both: half a turn.
    case both = "hv"
}

/// An antialiased shape.
public enum MaskShape: String, Hashable, Sendable, CaseIterable {
    case circle, ellipse, triangle, diamond, pentagon, hexagon, octagon, star, heart, squircle
}
