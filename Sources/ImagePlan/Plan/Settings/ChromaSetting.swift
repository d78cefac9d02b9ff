extension PlanSetting {
    /// `chroma`: for JPEG and AVIF; a lossy WebP is 4:2:0 always (RFC 9649 §2.5).
    package static let chroma = PlanSetting(
        name: "chroma",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.chroma = try parameter.keyword()
        },
        canonicalValue: { $0.encoding.chroma == .auto ? nil : $0.encoding.chroma.rawValue }
    )
}
