extension ImageServer {
    /// The value of `srcset` with width descriptors: the image at several widths (HTML §4.8.4.2).
    ///
    /// Each width replaces the transform's; a height is changed in proportion to it, and the density is left out, which would multiply
    /// both. A transform without a width gets one behind its preset, whose steps come first, or at the beginning.
    ///
    /// - Parameter widths: device pixels, 1–16384.
    /// - Throws: `ImageURLError`, also for a height without a width from which it could be scaled.
    public func sourceSet(
        for location: ImageLocation,
        _ transform: ImageTransform = ImageTransform(),
        widths: [Int],
        expires: Int64? = nil,
        scope: URLScope? = nil
    ) throws(ImageURLError) -> String {
        var candidates: [String] = []
        for width in widths {
            let scaled = try transform.scaled(toWidth: width)
            candidates.append("\(try url(for: location, scaled, expires: expires, scope: scope)) \(width)w")
        }
        return candidates.joined(separator: ", ")
    }

    /// The value of `srcset` with density descriptors: the image for several ratios of device pixels to CSS pixels.
    ///
    /// - Parameter densities: 1–4.
    public func sourceSet(
        for location: ImageLocation,
        _ transform: ImageTransform,
        densities: [Double],
        expires: Int64? = nil,
        scope: URLScope? = nil
    ) throws(ImageURLError) -> String {
        var candidates: [String] = []
        for density in densities {
            let address = try url(for: location, transform.density(density), expires: expires, scope: scope)
            candidates.append("\(address) \(NumberText.of(density))x")
        }
        return candidates.joined(separator: ", ")
    }
}

extension ImageTransform {
    /// The transform with another width and a height in proportion, without a density.
    func scaled(toWidth width: Int) throws(ImageURLError) -> ImageTransform {
        try setting("dpr", nil).widened(to: width)
    }

    private func widened(to width: Int) throws(ImageURLError) -> ImageTransform {
        let new = Pair(name: "w", value: String(width))
        guard let height = self["h"] else {
            return self["w"] == nil ? inserting(new) : setting("w", new.value)
        }
        guard let stated = self["w"] else {
            throw ImageURLError(parameter: "h", reason: "must have a w beside it, from which widths scale it")
        }
        guard Int(stated) != 0 else { throw ImageURLError(parameter: "w", reason: "must be at least 1") }
        guard let old = Int(stated), old > 0, let tall = Int(height), (1...16_384).contains(tall) else {
            return replacing(["w", "h"], by: [new, Pair(name: "h", value: height)])
        }
        let (quotient, overflow) = (2 * tall).multipliedReportingOverflow(by: width)
        let scaled = overflow ? tall : max(1, (quotient + old) / (2 * old))
        return replacing(["w", "h"], by: [new, Pair(name: "h", value: String(scaled))])
    }

    /// The transform with a parameter behind its preset, or at its beginning.
    private func inserting(_ pair: Pair) -> ImageTransform {
        let place = pairs.firstIndex { $0.name == "preset" }.map { $0 + 1 } ?? 0
        return ImageTransform(pairs[..<place] + [pair] + pairs[place...])
    }
}
