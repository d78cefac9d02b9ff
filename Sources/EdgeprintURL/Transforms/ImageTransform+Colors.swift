extension ImageTransform {
    /// Blurs the image (`blur`).
    ///
    /// - Parameter sigma: the standard deviation of the Gaussian in pixels, 0.3–250, multiplied by the density.
    public func blur(_ sigma: Double) -> ImageTransform { adding("blur", NumberText.of(sigma)) }

    /// Sharpens the image (`sharpen`).
    ///
    /// - Parameter sigma: the standard deviation of the mask in pixels, 0.3–10; the density does not apply.
    public func sharpen(_ sigma: Double) -> ImageTransform { adding("sharpen", NumberText.of(sigma)) }

    /// Replaces squares by their mean colours (`pixelate`).
    ///
    /// - Parameter block: the side of a square in pixels, 1–16384, multiplied by the density.
    public func pixelate(_ block: Int) -> ImageTransform { adding("pixelate", String(block)) }

    /// Multiplies colour values (`brightness`).
    ///
    /// - Parameter factor: 0 (black) to 10; 1 changes nothing.
    public func brightness(_ factor: Double) -> ImageTransform { adding("brightness", NumberText.of(factor)) }

    /// Adds to all colour values (`offset`).
    ///
    /// - Parameter amount: −255 (black) to 255 (white); 0 changes nothing.
    public func offset(_ amount: Double) -> ImageTransform { adding("offset", NumberText.of(amount)) }

    /// Adds to the values of each colour (`offset`): −255 to 255.
    public func offset(red: Double, green: Double, blue: Double) -> ImageTransform {
        adding("offset", [red, green, blue].map(NumberText.of).joined(separator: ","))
    }

    /// Multiplies the distance of colour values from mid-grey (`contrast`).
    ///
    /// - Parameter factor: 0 (all grey) to 10; 1 changes nothing.
    public func contrast(_ factor: Double) -> ImageTransform { adding("contrast", NumberText.of(factor)) }

    /// Multiplies the distance of colours from their greys (`saturation`).
    ///
    /// - Parameter factor: 0 (greys only) to 10; 1 changes nothing.
    public func saturation(_ factor: Double) -> ImageTransform { adding("saturation", NumberText.of(factor)) }

    /// Rotates colours around the grey axis (`hue`).
    ///
    /// - Parameter degrees: taken modulo 360.
    public func hue(degrees: Double) -> ImageTransform { adding("hue", NumberText.of(degrees)) }

    /// Raises colour values to 1 ÷ gamma (`gamma`).
    ///
    /// - Parameter gamma: 0.1–10; more than 1 brightens, 1 changes nothing.
    public func gamma(_ gamma: Double) -> ImageTransform { adding("gamma", NumberText.of(gamma)) }

    /// Applies a named filter (`filter`).
    public func filter(_ filter: ImageFilter) -> ImageTransform { adding("filter", filter.text) }

    /// Blends a colour with the image (`tint`); its alpha is the strength.
    ///
    /// - Parameter mode: `atop`, the default, keeps transparent areas transparent.
    public func tint(_ color: ImageColor, mode: BlendMode = .atop) -> ImageTransform {
        adding("tint", mode == .atop ? color.text : "\(color.text),\(mode.rawValue)")
    }

    /// Fills uncovered and transparent areas (`bg`); transparent by default, white where the format has no alpha.
    public func background(_ color: ImageColor) -> ImageTransform { setting("bg", color.text) }

    /// Overlays another image or a line of text (`watermark`).
    public func watermark(_ watermark: Watermark) -> ImageTransform { adding("watermark", watermark.text) }
}

/// A named filter; alpha does not change.
public struct ImageFilter: Hashable, Sendable {
    let text: String

    /// Colours become their luma.
    public static let grayscale = ImageFilter(text: "grayscale")
    /// Brown, like an old print.
    public static let sepia = ImageFilter(text: "sepia")
    /// Colours become their complements.
    public static let invert = ImageFilter(text: "invert")
    /// Luma becomes light of one brown colour, as Core Image's monochrome filter does by default.
    public static let monochrome = ImageFilter(text: "monochrome")
    /// Half of the light is lost in the corners.
    public static let vignette = ImageFilter(text: "vignette")

    /// Luma becomes light of one opaque colour.
    public static func monochrome(_ color: ImageColor) -> ImageFilter { ImageFilter(text: "monochrome:\(color.text)") }

    /// Colours keep their lightness, and take the chroma of one opaque colour.
    public static func chroma(_ color: ImageColor) -> ImageFilter { ImageFilter(text: "chroma:\(color.text)") }

    /// Luma becomes a gradient between two opaque colours.
    public static func duotone(dark: ImageColor, light: ImageColor) -> ImageFilter {
        ImageFilter(text: "duotone:\(dark.text),\(light.text)")
    }

    /// Darkens the image towards the corners.
    ///
    /// - Parameter strength: the share of light that the corners lose, 0–1.
    public static func vignette(_ strength: Double) -> ImageFilter {
        ImageFilter(text: "vignette:\(NumberText.of(strength))")
    }
}

/// How a colour is blended with an image; the names are those of libvips, if it has the mode.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    case clear, source, over
    case `in`, out, atop
    case destination = "dest"
    case destinationOver = "dest-over"
    case destinationIn = "dest-in"
    case destinationOut = "dest-out"
    case destinationAtop = "dest-atop"
    case xor, add, saturate, multiply, screen, overlay, darken, lighten
    case colorDodge = "colour-dodge"
    case colorBurn = "colour-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference, exclusion
    case plusDarker = "plus-darker"
    case hue, saturation
    case color = "colour"
    case luminosity
}
