extension PlanSetting {
    /// `bg`: a colour; every fully transparent one is the default.
    package static let background = PlanSetting(
        name: "bg",
        defaultText: "transparent, or white without alpha",
        read: { (parameter, settings) throws(RequestError) in
            let color = try Color(parsing: parameter)
            settings.background = color.alpha == 0 ? nil : color
        },
        canonicalValue: { $0.background?.text }
    )
}
