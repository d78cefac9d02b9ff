import ImagePipeline

/// A limit in pixels that refuses nearly every image, and probably counts megapixels, as other servers do.
struct SmallPixelLimit: Hashable, Sendable {
    /// The key's full path, such as `limits.pixels`.
    let key: String
    let pixels: Int

    /// Limits below this, 0.1 megapixels, are reported.
    private static let usual = 100_000

    /// The value that was probably meant; `nil` for one that would be no usual number of megapixels.
    var megapixels: String? { pixels <= 1000 ? "\(pixels)MP" : nil }

    var reason: String {
        "\(pixels) pixels are fewer than nearly every image has"
            + (megapixels.map { "; megapixels are written as \($0)" } ?? "")
    }

    /// All such limits of a configuration; one that a site or a source inherits counts once.
    static func all(in configuration: Configuration) -> [SmallPixelLimit] {
        let top = configuration.limits.origin
        let sites = configuration.sites.flatMap { limits($0.settings, scope: "sites.\($0.name).", inherited: top) }
        return (limits(configuration, scope: "", inherited: nil) + sites).filter { $0.pixels < usual }
    }

    /// The limits that differ from those that they override.
    ///
    /// - Parameter inherited: those that the settings of a site override; `nil` for the file's top.
    private static func limits(
        _ settings: Configuration,
        scope: String,
        inherited: SourceRule.Limits?
    ) -> [SmallPixelLimit] {
        let own = settings.limits.origin
        let sources = settings.sources.flatMap { source in
            limits(source.rule.limits, overriding: own, at: "\(scope)sources.\(source.rule.localName).limits.")
        }
        return limits(own, overriding: inherited, at: scope + "limits.") + sources
    }

    private static func limits(
        _ own: SourceRule.Limits,
        overriding inherited: SourceRule.Limits?,
        at path: String
    ) -> [SmallPixelLimit] {
        let values: [(String, KeyPath<SourceRule.Limits, Int>)] = [("pixels", \.pixels), ("animation", \.animation)]
        return values.compactMap { name, value in
            guard own[keyPath: value] != inherited?[keyPath: value] else { return nil }
            return SmallPixelLimit(key: path + name, pixels: own[keyPath: value])
        }
    }
}
