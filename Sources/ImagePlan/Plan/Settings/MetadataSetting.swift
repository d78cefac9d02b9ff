extension PlanSetting {
    /// `meta`.
    package static let metadata = PlanSetting(
        name: "meta",
        defaultText: "strip",
        read: { (parameter, settings) throws(RequestError) in
            settings.metadata = try parameter.keyword()
        },
        canonicalValue: { $0.metadata == .strip ? nil : $0.metadata.rawValue }
    )
}
