extension PlanSetting {
    /// `lossless`: for WebP, AVIF and JPEG XL; PNG, GIF and TIFF lose nothing of the pixels they hold anyway.
    package static let lossless = PlanSetting(
        name: "lossless",
        defaultText: "0, or the configuration's for WebP",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isLossless = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isLossless ? "1" : nil }
    )
}
