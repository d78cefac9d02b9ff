import ImagePlan

/// What the sniffed header alone forbids, before any decoder sees the file.
enum HeaderGate {
    /// Why an original must not be transformed; `nil` where it may.
    static func refusal(of header: ImageHeader, plan: String, source: SourceRule) -> PipelineError? {
        let limits = source.limits
        // Nothing is decoded for it: only what it can be done to matters.
        if plan == MetadataCleaner.planText {
            return MetadataCleaner.supports(header.format)
                ? nil : .refused("\(header.format.mediaType) cannot be given without its metadata")
        }
        // Workers have a coder for each format; whether this machine's libraries hold it a worker says.
        if let refusal = refusal(of: header.format, source: source) { return refusal }
        let (pixels, overflow) = header.width.multipliedReportingOverflow(by: header.height)
        guard !overflow, pixels <= limits.pixels else {
            return .refused(
                "\(header.width)×\(header.height) pixels are over the limit of \(limits.pixels) (limits.pixels)"
            )
        }
        // How many of its frames are decoded is the plan's question: AnimationChoice.
        return nil
    }

    /// Why an original is no picture here, whether it is to be transformed or given out as it is; `nil` where it is one.
    static func refusal(of format: ImageFormat, source: SourceRule) -> PipelineError? {
        guard format == .pdf, !source.formats.pdf else { return nil }
        return .notAnImage("\(format.mediaType) is not decoded here (formats.pdf is off)")
    }
}
