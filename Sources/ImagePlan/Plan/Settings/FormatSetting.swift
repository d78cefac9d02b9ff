extension PlanSetting {
    /// `format`; `jpg` is another spelling of `jpeg`.
    package static let format = PlanSetting(
        name: "format",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.format = parameter.value == "jpg" ? .jpeg : try parameter.keyword(otherNames: otherFormatNames)
        },
        canonicalValue: { $0.format == .auto ? nil : $0.format.rawValue }
    )

    /// What other software calls formats.
    private static let otherFormatNames = ["jfif": "jpeg", "jpe": "jpeg", "tif": "tiff"]
}
