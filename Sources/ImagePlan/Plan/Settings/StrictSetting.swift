extension PlanSetting {
    /// `strict`: refuses rather than to drop frames or transparency (SDWebImage's `MatchAnimatedImageClass`).
    package static let strict = PlanSetting(
        name: "strict",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.isStrict = try parameter.flag()
        },
        canonicalValue: { $0.isStrict ? "1" : nil }
    )
}
