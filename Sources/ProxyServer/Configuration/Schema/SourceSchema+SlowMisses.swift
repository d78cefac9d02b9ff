import ImagePipeline
import ImagePlan

extension SourceSchema {
    /// What clients receive while an image takes long to make.
    static let slowMisses: [Setting<Draft>] = [
        Setting(
            "slow-miss",
            \.rule.slowMiss.policy,
            .choice,
            only: .pictures,
            "Answer to a request whose image takes long to make: wait for it, or a placeholder."
        ),
        Setting(
            "slow-miss-after",
            \.rule.slowMiss.after,
            .duration(0...60_000),
            only: .pictures,
            "Time after which a placeholder is sent; 0 as soon as the caches have been searched."
        ),
        Setting(
            "slow-miss-ttl",
            \.rule.slowMiss.lifetime,
            .seconds,
            only: .pictures,
            "Lifetime of a placeholder for clients."
        ),
        Setting(
            "slow-miss-color",
            \.rule.slowMiss.color,
            .color,
            only: .pictures,
            "Colour of a placeholder, if the original's colour is not known."
        ),
    ]
}

extension ConfigurationSchema {
    /// Plain images, and the work behind placeholders.
    static let placeholders: [Setting<Configuration>] = [
        Setting(
            "placeholders.largest",
            \.placeholders.largest,
            .count(0...PlainPicture.longestSide),
            "Longest side of a plain image of /placeholder/; 0 to serve none."
        ),
        Setting(
            "placeholders.behind",
            \.placeholders.behind,
            .count(1...10_000),
            "Maximum images made after their placeholder was sent (slow-miss); beyond it, clients wait."
        ),
    ]
}

extension ValueFormat where Value == Color {
    /// A colour in hexadecimal digits.
    static var color: ValueFormat {
        .scalar("a colour such as \"e0e0e0\"") { text in
            try? Color(parsing: Parameter("color", text))
        } write: {
            .quoted($0.text)
        }
    }
}
