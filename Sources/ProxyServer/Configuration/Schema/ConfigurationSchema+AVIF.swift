import ImagePipeline
import ImagePlan

extension ConfigurationSchema {
    /// When `format=auto` answers AVIF.
    static let avif: [Setting<Configuration>] = [
        Setting("avif.auto", \.avif.policy.isAuto, .onOff, "Whether format=auto answers AVIF to clients that name it."),
        Setting(
            "avif.budget",
            \.avif.policy.budget,
            .duration(0...longest),
            "What encoding AVIF may take while a client waits; else it gets WebP, and AVIF is made in the background."
        ),
        Setting(
            "avif.effort",
            \.quality.avifEffort,
            .count(EncodingSettings.efforts),
            "Effort of AVIF that auto chooses, where a request names none."
        ),
        Setting(
            "avif.stand-in",
            \.avif.policy.standInLifetime,
            .seconds,
            "How long clients may keep the WebP that stands in until the AVIF is made."
        ),
        Setting("avif.queue", \.avif.queue, .count(1...100_000), "Pictures that may wait for their AVIF."),
    ]
}
