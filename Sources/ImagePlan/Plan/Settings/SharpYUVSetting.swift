extension PlanSetting {
    /// `sharp_yuv`: for lossy WebP.
    package static let sharpYUV = PlanSetting(
        name: "sharp_yuv",
        defaultText: "0, or the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.usesSharpYUV = try parameter.flag()
        },
        canonicalValue: { $0.encoding.usesSharpYUV ? "1" : nil }
    )
}
