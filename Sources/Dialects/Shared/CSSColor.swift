import ImagePlan

/// Parses a colour of CSS Color 4: a name, hexadecimal digits, or `rgb()`, `rgba()`, `hsl()`, `hsla()`.
///
/// Functions may have commas, or spaces and a slash; letters may have either case.
enum CSSColor {
    /// Parses a colour.
    ///
    /// - Parameter needsHash: whether hexadecimal digits need a `#`, as in CSS; other servers leave it out.
    /// - Returns: `nil` for anything else.
    static func parse(_ text: String, needsHash: Bool = false) -> Color? {
        let text = text.lowercased()
        if text == "transparent" { return Color(red: 0, green: 0, blue: 0, alpha: 0) }
        if let named = NamedColors.color(named: text) { return named }
        if text.hasPrefix("#") { return hexadecimal(text.dropFirst()) }
        if let color = function(text) { return color }
        return needsHash ? nil : hexadecimal(text[...])
    }

    /// Three, four, six or eight digits: red, green, blue, alpha.
    private static func hexadecimal(_ digits: Substring) -> Color? {
        let long = [3, 4].contains(digits.utf8.count) ? digits.flatMap { [$0, $0] } : Array(digits)
        guard [6, 8].contains(long.count) else { return nil }
        return try? Color(parsing: Parameter("", String(long)))
    }

    private static func function(_ text: String) -> Color? {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        let inner = text[text.index(after: open)...].dropLast()
        let arguments = inner.split { ", /".contains($0) }
        guard arguments.count == 3 || arguments.count == 4 else { return nil }
        let alpha = arguments.count == 4 ? fraction(arguments[3]) : 1
        guard let alpha else { return nil }
        switch text[..<open] {
        case "rgb", "rgba":
            let channels = arguments.prefix(3).compactMap(channel)
            guard channels.count == 3 else { return nil }
            return color(channels, alpha)
        case "hsl", "hsla":
            guard let hue = number(arguments[0].hasSuffix("deg") ? arguments[0].dropLast(3) : arguments[0]),
                let saturation = percent(arguments[1]), let lightness = percent(arguments[2])
            else { return nil }
            return color(channels(hue: hue, saturation: saturation, lightness: lightness), alpha)
        default:
            return nil
        }
    }

    private static func color(_ channels: [Double], _ alpha: Double) -> Color {
        let bytes = (channels + [alpha]).map { UInt8((max(0, min(1, $0)) * 255).rounded()) }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
    }

    /// The channels of a hue in degrees (CSS Color 4 §7.1).
    private static func channels(hue: Double, saturation: Double, lightness: Double) -> [Double] {
        let reach = saturation * min(lightness, 1 - lightness)
        return [0.0, 8.0, 4.0].map { offset in
            let turned = (offset + hue / 30).truncatingRemainder(dividingBy: 12)
            let sector = turned < 0 ? turned + 12 : turned
            return lightness - reach * max(-1, min(sector - 3, 9 - sector, 1))
        }
    }

    private static func number(_ text: Substring) -> Double? { FixedDecimal(parsing: String(text))?.value }

    private static func percent(_ text: Substring) -> Double? {
        guard text.hasSuffix("%"), let value = number(text.dropLast()) else { return nil }
        return max(0, min(1, value / 100))
    }

    /// 0–255 or a percentage, as a fraction.
    private static func channel(_ text: Substring) -> Double? { percent(text) ?? number(text).map { $0 / 255 } }

    /// 0–1 or a percentage.
    private static func fraction(_ text: Substring) -> Double? { percent(text) ?? number(text) }
}
