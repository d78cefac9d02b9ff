extension PlanSetting {
    /// The dots an inch that hold where nobody says others.
    package static let standardDPI = 72

    /// `dpi`: for sources without pixels.
    package static let dpi = PlanSetting(
        name: "dpi",
        defaultText: "72",
        read: { (parameter, settings) throws(RequestError) in
            let dpi = try parameter.integer(in: 1...1200)
            settings.dpi = dpi == standardDPI ? nil : dpi
        },
        canonicalValue: { $0.dpi.map { String($0) } }
    )
}
