extension PlanSetting {
    /// `q`.
    package static let quality = PlanSetting(
        name: "q",
        defaultText: "the source's for the format",
        read: { (parameter, settings) throws(RequestError) in
            if parameter.value == "auto" { throw parameter.error("auto is not supported by this version") }
            settings.quality = try parameter.integer(in: 1...100)
        },
        canonicalValue: { $0.quality.map { String($0) } }
    )
}
