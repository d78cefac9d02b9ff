extension PlanSetting {
    /// `max_bytes`: the result never has more; a lossy format gives up quality for it.
    package static let maximumBytes = PlanSetting(
        name: "max_bytes",
        defaultText: "no bound",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.maximumBytes = try parameter.integer(in: EncodingSettings.byteCounts)
        },
        canonicalValue: { $0.encoding.maximumBytes.map { String($0) } }
    )
}
