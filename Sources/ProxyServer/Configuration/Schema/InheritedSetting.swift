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
    /// Gives a rule the value at the file's top.
    let inherit: @Sendable (Configuration, inout SourceRule) -> Void

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - path: of the value at the file's top.
    ///   - own: of the same value in a source's rule.
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
        source = Setting(name, in: \.rule, own, format, only: kind, "As \(name) at the file's top, for this source.")
        inherit = { $1[keyPath: own] = $0[keyPath: path] }
    }
}

extension InheritedSetting {
    /// All of them, in the order in which they are printed.
    static let all = limits + timeouts + quality + formats + avif

    /// The sections that they are in, in that order.
    static let sections = all.reduce(into: [String]()) { sections, setting in
        let section = String(setting.top.name.prefix { $0 != "." })
        if sections.last != section { sections.append(section) }
    }

    /// The keys at the file's top of one section.
    static func top(_ section: String) -> [Setting<Configuration>] {
        all.map(\.top).filter { $0.name.hasPrefix(section + ".") }
    }

    private static let limits = [
        InheritedSetting(
            "limits.pixels",
            \.limits.origin.pixels,
            \.limits.pixels,
            .pixels(1...10_000_000_000),
            only: .pictures,
            "The most pixels of a source's frame."
        ),
        InheritedSetting(
            "limits.frames",
            \.limits.origin.frames,
            \.limits.frames,
            .count(1...100_000),
            only: .pictures,
            "The most frames of a source that are decoded."
        ),
        InheritedSetting(
            "limits.animation",
            \.limits.origin.animation,
            \.limits.animation,
            .pixels(1...10_000_000_000),
            only: .pictures,
            "The most work of an animation, in pixels over all frames."
        ),
        InheritedSetting(
            "limits.decode-bytes",
            \.limits.origin.decodeBytes,
            \.limits.decodeBytes,
            .size(1_024...64 << 30),
            only: .pictures,
            "The most bytes of decoded pixels, four a pixel; JPEG is loaded smaller where that suffices."
        ),
        InheritedSetting(
            "limits.source-bytes",
            \.limits.origin.sourceBytes,
            \.limits.sourceBytes,
            .size(1_024...4 << 30),
            "The largest source."
        ),
        InheritedSetting(
            "limits.redirects",
            \.limits.origin.redirects,
            \.limits.redirects,
            .count(0...20),
            only: .pictures,
            "Redirects of an origin that are followed."
        ),
        InheritedSetting(
            "limits.auxiliaries",
            \.limits.origin.auxiliaries,
            \.limits.auxiliaries,
            .count(0...WorkerMessage.maximumAuxiliaries),
            "The most other pictures that one request may name, as watermarks and masks; 0 for none."
        ),
    ]

    private static let timeouts = [
        InheritedSetting(
            "timeouts.connect",
            \.timeouts.origin.connect,
            \.timeouts.connect,
            duration,
            "For connecting to an origin."
        ),
        InheritedSetting(
            "timeouts.first-byte",
            \.timeouts.origin.firstByte,
            \.timeouts.firstByte,
            duration,
            "For an origin's first byte."
        ),
        InheritedSetting(
            "timeouts.total",
            \.timeouts.origin.total,
            \.timeouts.total,
            duration,
            "For a whole download."
        ),
        InheritedSetting(
            "timeouts.transform",
            \.timeouts.origin.transform,
            \.timeouts.transform,
            duration,
            only: .pictures,
            "For one transform."
        ),
    ]

    private static let quality = [
        InheritedSetting(
            "quality.jpeg",
            \.quality.jpeg,
            \.quality.jpeg,
            .count(1...100),
            only: .pictures,
            "JPEG quality where a request names none."
        ),
        InheritedSetting(
            "quality.webp",
            \.quality.webp,
            \.quality.webp,
            .count(1...100),
            only: .pictures,
            "WebP quality where a request names none."
        ),
        InheritedSetting(
            "quality.avif",
            \.quality.avif,
            \.quality.avif,
            .count(1...100),
            only: .pictures,
            "AVIF quality where a request names none."
        ),
        InheritedSetting(
            "quality.distance",
            \.quality.distance,
            \.quality.distance,
            .distance,
            only: .pictures,
            "How far a result of q=auto may look from the picture."
        ),
        InheritedSetting(
            "quality.save-data",
            \.saveDataStep,
            \.saveDataStep,
            .count(0...99),
            only: .pictures,
            "How much lower these are for clients that send Save-Data: on; 0 for not at all."
        ),
    ]

    private static let formats = FormatPolicy.formats.map { format in
        InheritedSetting(
            "formats.\(format)",
            \.formats[format],
            \.formats[format],
            .use(of: format),
            only: .pictures,
            format == .pdf ? "Whether pages of PDF documents are drawn." : "What is done with \(format)."
        )
    }

    private static let avif = [
        InheritedSetting(
            "avif.auto",
            \.avif.policy.isAuto,
            \.avif.isAuto,
            .onOff,
            only: .pictures,
            "Whether format=auto answers AVIF to clients that name it."
        ),
        InheritedSetting(
            "avif.budget",
            \.avif.policy.budget,
            \.avif.budget,
            .duration(0...ConfigurationSchema.longest),
            only: .pictures,
            "What encoding AVIF may take while a client waits; else it gets WebP, and AVIF is made in the background."
        ),
        InheritedSetting(
            "avif.effort",
            \.quality.avifEffort,
            \.quality.avifEffort,
            .count(EncodingSettings.efforts),
            only: .pictures,
            "Effort of AVIF that auto chooses, where a request names none."
        ),
        InheritedSetting(
            "avif.stand-in",
            \.avif.policy.standInLifetime,
            \.avif.standInLifetime,
            .seconds,
            only: .pictures,
            "How long clients may keep the WebP that stands in until the AVIF is made."
        ),
    ]

    private static let duration = ValueFormat<Int>.duration(1...ConfigurationSchema.longest)
}

extension SourceRule {
    /// A rule that says nothing of its own: its settings are those at the configuration's top.
    init(inheriting configuration: Configuration, named name: String, location: Location = .remote) {
        self.init(name: name, location: location)
        for setting in InheritedSetting.all { setting.inherit(configuration, &self) }
        // No source has keys of its own for libwebp's options.
        quality.webpOptions = configuration.quality.webpOptions
    }
}
