extension PlanSetting {
    /// `near_lossless`: a lossless WebP whose pixels are first made easier to compress; 100 is off, and the default.
    package static let nearLossless = PlanSetting(
        name: "near_lossless",
        defaultText: "100, or the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            let level = try parameter.integer(in: 0...100)
            settings.encoding.nearLossless = level == 100 ? nil : level
        },
        canonicalValue: { $0.encoding.nearLossless.map { String($0) } }
    )
}
