/// Warns about limits in pixels that were probably meant in megapixels.
struct PixelLimitCheck: DoctorCheck {
    let configuration: Configuration

    func findings(_ probe: any SystemProbe) -> [Finding] {
        SmallPixelLimit.all(in: configuration).map { limit in
            .warning(
                "limits",
                "\(limit.key): \(limit.reason)",
                fix: limit.megapixels.map { "write \($0)" } ?? "raise it, unless it is meant"
            )
        }
    }
}
