import ImagePipeline
import ImagePlan

/// A setting at the file's top that each source inherits and may override, declared once for both places.
///
/// The default is the initial value of its property in `Configuration`; the file's top, the environment and flags override that,
/// and the source overrides those (`SourceRule.init(inheriting:named:)`). `/fetch` has the values of the file's top.
struct InheritedSetting: Sendable {
    /// The key at the file's top.
    let top: Setting<Configuration>
    /// The key of the same name below a source.
    let source: Setting<SourceSchema.Draft>
    /// Copies the value at the file's top into a rule.
    let inherit: @Sendable (Configuration, inout SourceRule) -> Void

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - path: the value at the file's top.
    ///   - own: the same value in a source's rule.
    ///   - kind: the sources that may override it; others ignore it.
    ///   - summary: one sentence about the key at the file's top.
    private init<Value: Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        _ own: any WritableKeyPath<SourceRule, Value> & Sendable,
        _ format: ValueFormat<Value>,
        only kind: SourceKind = .any,
        _ summary: String
    ) {
        top = Setting(name, path, format, summary)
        source = Setting(name, in: \.rule, own, format, only: kind, "Overrides the top-level \(name) for this source.")
        inherit = { $1[keyPath: own] = $0[keyPath: path] }
    }
}

extension InheritedSetting {
    /// All inherited settings, in the order in which they are printed.
    static let all = plain + limits + timeouts + quality + formats + avif

    /// The settings without a section.
    static let plain = offline + brownout + recompression

    /// The sections of these settings, in the same order; `plain` has none.
    static let sections = all.filter { $0.top.name.contains(".") }.reduce(into: [String]()) { sections, setting in
        let section = String(setting.top.name.prefix { $0 != "." })
        if sections.last != section { sections.append(section) }
    }

    /// The keys at the file's top of one section.
    static func top(_ section: String) -> [Setting<Configuration>] {
        all.map(\.top).filter { $0.name.hasPrefix(section + ".") }
    }

    /// Serving from the cache alone.
    private static let offline = [
        InheritedSetting(
            "offline",
            \.isOffline,
            \.isOffline,
            .flag,
            "Serve only what is stored, also stale, and send no request to any origin."
        )
    ]

    /// Answers under overload.
    private static let brownout = [
        InheritedSetting(
            "brownout",
            \.brownout.isOn,
            \.brownout.isOn,
            .onOff,
            only: .pictures,
            "Under overload, serve something that is stored in place of an image that cannot be made in time."
        ),
        InheritedSetting(
            "brownout-original",
            \.brownout.largestOriginal,
            \.brownout.largestOriginal,
            .size(0...1 << 30),
            only: .pictures,
            "Maximum size of an original that brownout serves in place of its variants."
        ),
    ]

    /// Encoding images again in the background.
    private static let recompression = [
        InheritedSetting(
            "recompress-after",
            \.recompressAfter,
            \.recompressAfter,
            .count(0...1_000_000),
            only: .pictures,
            "Minutes with requests after which an image is encoded again with more effort; 0 turns it off."
        ),
        InheritedSetting(
            "jxl-originals",
            \.transcodesOriginals,
            \.transcodesOriginals,
            .onOff,
            only: .pictures,
            "Answer requests for bare JPEG originals as JPEG XL where Accept names it, once it was made."
        ),
    ]

    private static let limits = [
        InheritedSetting(
            "limits.pixels",
            \.limits.origin.pixels,
            \.limits.pixels,
            .pixels(1...10_000_000_000),
            only: .pictures,
            "Maximum pixels in one frame of an original."
        ),
        InheritedSetting(
            "limits.frames",
            \.limits.origin.frames,
            \.limits.frames,
            .count(1...100_000),
            only: .pictures,
            "Maximum frames to decode."
        ),
        InheritedSetting(
            "limits.animation",
            \.limits.origin.animation,
            \.limits.animation,
            .pixels(1...10_000_000_000),
            only: .pictures,
            "Maximum cost of an animation, in pixels over all frames."
        ),
        InheritedSetting(
            "limits.decode-bytes",
            \.limits.origin.decodeBytes,
            \.limits.decodeBytes,
            .size(1_024...64 << 30),
            only: .pictures,
            "Maximum bytes of decoded pixels, four per pixel; a JPEG is loaded smaller if that suffices."
        ),
        InheritedSetting(
            "limits.source-bytes",
            \.limits.origin.sourceBytes,
            \.limits.sourceBytes,
            .size(1_024...4 << 30),
            "Maximum size of an original."
        ),
        InheritedSetting(
            "limits.redirects",
            \.limits.origin.redirects,
            \.limits.redirects,
            .count(0...20),
            only: .pictures,
            "Maximum redirects to follow per download."
        ),
        InheritedSetting(
            "limits.retries",
            \.limits.origin.retries,
            \.limits.retries,
            .count(0...10),
            "Maximum repetitions of a failed download, including those for the rest of one that was cut off; 0 for none."
        ),
        InheritedSetting(
            "limits.auxiliaries",
            \.limits.origin.auxiliaries,
            \.limits.auxiliaries,
            .count(0...WorkerMessage.maximumAuxiliaries),
            "Maximum watermarks and masks that one request may name; 0 to allow none."
        ),
    ]

    private static let timeouts = [
        InheritedSetting(
            "timeouts.connect",
            \.timeouts.origin.connect,
            \.timeouts.connect,
            duration,
            "Timeout for connecting to an origin."
        ),
        InheritedSetting(
            "timeouts.first-byte",
            \.timeouts.origin.firstByte,
            \.timeouts.firstByte,
            duration,
            "Timeout for an origin's first byte."
        ),
        InheritedSetting(
            "timeouts.total",
            \.timeouts.origin.total,
            \.timeouts.total,
            duration,
            "Timeout for a whole download."
        ),
        InheritedSetting(
            "timeouts.transform",
            \.timeouts.origin.transform,
            \.timeouts.transform,
            duration,
            only: .pictures,
            "Timeout for one transform."
        ),
    ]

    private static let quality = [
        InheritedSetting(
            "quality.jpeg",
            \.quality.jpeg,
            \.quality.jpeg,
            .count(1...100),
            only: .pictures,
            "Default JPEG quality."
        ),
        InheritedSetting(
            "quality.webp",
            \.quality.webp,
            \.quality.webp,
            .count(1...100),
            only: .pictures,
            "Default WebP quality."
        ),
        InheritedSetting(
            "quality.avif",
            \.quality.avif,
            \.quality.avif,
            .count(1...100),
            only: .pictures,
            "Default AVIF quality."
        ),
        InheritedSetting(
            "quality.jxl",
            \.quality.jxl,
            \.quality.jxl,
            .count(1...100),
            only: .pictures,
            "Default JPEG XL quality."
        ),
        InheritedSetting(
            "quality.distance",
            \.quality.distance,
            \.quality.distance,
            .distance,
            only: .pictures,
            "Largest perceptual distance of q=auto results from the source."
        ),
        InheritedSetting(
            "quality.save-data",
            \.saveDataStep,
            \.saveDataStep,
            .count(0...99),
            only: .pictures,
            "Subtracted from default qualities for clients that send Save-Data: on; 0 to ignore the field."
        ),
    ]

    private static let formats = FormatPolicy.formats.map { format in
        InheritedSetting(
            "formats.\(format)",
            \.formats[format],
            \.formats[format],
            .use(of: format),
            only: .pictures,
            format == .pdf ? "Decode pages of PDF documents." : "Whether \(format) is read and written."
        )
    }

    private static let avif = [
        InheritedSetting(
            "avif.auto",
            \.avif.policy.isAuto,
            \.avif.isAuto,
            .onOff,
            only: .pictures,
            "Let format=auto choose AVIF for clients whose Accept names it."
        ),
        InheritedSetting(
            "avif.budget",
            \.avif.policy.budget,
            \.avif.budget,
            .duration(0...ConfigurationSchema.longest),
            only: .pictures,
            "Maximum estimated AVIF encoding time while a client waits; above it, WebP is served until the AVIF is made."
        ),
        InheritedSetting(
            "avif.effort",
            \.quality.avifEffort,
            \.quality.avifEffort,
            .count(EncodingSettings.efforts),
            only: .pictures,
            "Default effort of AVIF chosen by format=auto."
        ),
        InheritedSetting(
            "avif.stand-in",
            \.avif.policy.standInLifetime,
            \.avif.standInLifetime,
            .seconds,
            only: .pictures,
            "Lifetime of the WebP that is served until the AVIF is made."
        ),
    ]

    private static let duration = ValueFormat<Int>.duration(1...ConfigurationSchema.longest)
}

extension SourceRule {
    /// Creates a rule without overrides: its settings are those at the configuration's top.
    init(inheriting configuration: Configuration, named name: String, location: Location = .remote) {
        self.init(name: name, location: location)
        for setting in InheritedSetting.all { setting.inherit(configuration, &self) }
        // No source has keys of its own for libwebp's options.
        quality.webpOptions = configuration.quality.webpOptions
    }
}
