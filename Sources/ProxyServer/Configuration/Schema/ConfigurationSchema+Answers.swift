extension ConfigurationSchema {
    /// What answers say beside the picture.
    static let answers: [Setting<Configuration>] = [
        Setting(
            "answers.server-timing",
            \.answers.serverTiming,
            .onOff,
            "Whether answers tell how long the stages behind them took (Server-Timing)."
        ),
        Setting(
            "answers.cors",
            \.answers.cors,
            .crossOrigin,
            "Whose scripts may read answers and their timing: *, one origin, or off."
        ),
    ]
}

extension ValueFormat where Value == CrossOrigin {
    /// `*`, an origin, or `off`.
    static var crossOrigin: ValueFormat {
        .scalar("\"*\", one origin such as https://www.example.com without a path, or off", parse: CrossOrigin.init) {
            $0 == .off ? .plain("off") : .quoted($0.text)
        }
    }
}
