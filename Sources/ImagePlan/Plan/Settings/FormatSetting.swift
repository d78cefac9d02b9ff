extension PlanSetting {
    /// Values that the language has, and that this version does not know.
    private static let later: Set<String> = ["json", "blurhash", "lqip"]

    /// `format`.
    package static let format = PlanSetting(
        name: "format",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            if later.contains(parameter.value) {
                throw parameter.error("\(parameter.value) is not supported by this version")
            }
            settings.format = try parameter.keyword()
        },
        canonicalValue: { $0.format == .auto ? nil : $0.format.rawValue }
    )
}
