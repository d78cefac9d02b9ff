package import ImagePlan

/// What a source answers while an image takes long to make (SDWebImage: `sd_setImage(with:placeholderImage:)`).
package struct SlowMissRule: Hashable, Sendable {
    /// The answer.
    package enum Policy: String, Hashable, Sendable, CaseIterable {
        /// The client waits for the image.
        case wait
        /// A placeholder with a short lifetime; the image is made meanwhile.
        case placeholder
    }

    package var policy = Policy.wait
    /// Milliseconds that a client waits for the image before it receives a placeholder.
    package var after = 200
    /// Seconds for which clients may keep the placeholder.
    package var lifetime: Int64 = 5
    /// The placeholder's colour, if the original's is not known.
    package var color = Color(red: 0xE0, green: 0xE0, blue: 0xE0)

    /// Creates a rule: the client waits.
    package init() {}
}
