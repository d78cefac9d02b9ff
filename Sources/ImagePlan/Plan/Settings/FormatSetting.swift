extension PlanSetting {
    /// `format`.
    package static let format = PlanSetting(
        name: "format",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in settings.format = try parameter.keyword() },
        canonicalValue: { $0.format == .auto ? nil : $0.format.rawValue }
    )
}
