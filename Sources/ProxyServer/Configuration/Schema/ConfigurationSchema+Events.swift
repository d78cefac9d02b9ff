extension ConfigurationSchema {
    /// The streams of the admin listener.
    static let events: [Setting<Configuration>] = [
        Setting(
            "events.subscribers",
            \.events.subscribers,
            .count(0...200),
            "Maximum open streams of /events, /inflight and /live on the admin listener; 0 to disable them."
        ),
        Setting(
            "events.buffer",
            \.events.buffer,
            .size(512 << 10...1 << 30),
            "Maximum size of the events that one subscriber has not received; it loses further ones."
        ),
    ]
}
