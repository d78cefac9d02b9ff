import ImagePlan

/// Colours of images.weserv.nl: a name of CSS, or hexadecimal digits with alpha first.
enum WeservColor {
    /// Parses `rgb`, `argb`, `rrggbb` or `aarrggbb`, or a name.
    static func parse(_ value: OptionValue) throws(RequestError) -> Color {
        let text = value.text.lowercased()
        if let named = NamedColors.color(named: text) { return named }
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        let long = [3, 4].contains(digits.utf8.count) ? String(digits.flatMap { [$0, $0] }) : String(digits)
        // Alpha comes first there, last with us.
        let ours = long.utf8.count == 8 ? String(long.dropFirst(2) + long.prefix(2)) : long
        guard [6, 8].contains(ours.utf8.count), let color = try? Color(parsing: Parameter(value.name, ours)) else {
            throw value.error("must be a colour: a name, or hexadecimal digits as rgb, argb, rrggbb or aarrggbb")
        }
        return color
    }
}
