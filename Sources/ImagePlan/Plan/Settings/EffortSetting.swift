extension PlanSetting {
    /// `effort`: 0–9 on each format's own scale, cut to it (WebP ends at 6).
    package static let effort = PlanSetting(
        name: "effort",
        defaultText: "the format's own",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.effort = try parameter.integer(in: EncodingSettings.efforts)
        },
        canonicalValue: { $0.encoding.effort.map { String($0) } }
    )
}
