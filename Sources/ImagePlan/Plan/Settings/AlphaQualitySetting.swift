extension PlanSetting {
    /// `alpha_q`: for lossy WebP.
    package static let alphaQuality = PlanSetting(
        name: "alpha_q",
        defaultText: "the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.alphaQuality = try parameter.integer(in: 0...100)
        },
        canonicalValue: { $0.encoding.alphaQuality.map { String($0) } }
    )
}
