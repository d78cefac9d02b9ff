extension PlanSetting {
    /// `progressive`: for JPEG, PNG and GIF (interlaced).
    package static let progressive = PlanSetting(
        name: "progressive",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isProgressive = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isProgressive ? "1" : nil }
    )
}
