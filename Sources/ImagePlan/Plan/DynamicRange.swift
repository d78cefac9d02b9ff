/// The value of `hdr`: what becomes of an original's gain map.
package enum DynamicRange: String, Hashable, Sendable, CaseIterable {
    /// The result is the image for displays with a standard dynamic range.
    case sdr
    /// A JPEG of an original with a gain map has that gain map, too.
    case keep
}

extension PlanSetting {
    /// `hdr`: whether a JPEG keeps the original's gain map.
    package static let dynamicRange = PlanSetting(
        name: "hdr",
        defaultText: "sdr",
        form: .choice(DynamicRange.allCases.map(\.rawValue)),
        example: "keep",
        read: { (parameter, settings) throws(RequestError) in
            settings.dynamicRange = try parameter.keyword()
        },
        canonicalValue: { $0.dynamicRange == .sdr ? nil : $0.dynamicRange.rawValue }
    )
}

extension PlanSettings {
    /// Whether a result can be a JPEG, the only format that is written with a gain map.
    var mayBeJPEG: Bool { format == .auto || format == .source || format == .jpeg }
}

extension Plan {
    /// Whether the result keeps the gain map of an original with this header, if that can be read.
    ///
    /// A JPEG of which it is unknown counts as one with a gain map.
    /// With `format=auto`, the result is then a JPEG, unless `lossless=1` or a step that makes alpha demands another format.
    package func keepsGainMap(of header: ImageHeader) -> Bool {
        guard settings.dynamicRange == .keep, header.format == .jpeg, header.hasGainMap ?? true else { return false }
        return settings.format != .auto || !(makesAlpha || settings.encoding.isLossless)
    }

    /// The parameter of the first step that a gain map cannot follow; `nil` if it can follow all.
    static func obstacle(in steps: [any TransformStep]) -> String? {
        steps.first { !$0.gainMapFollows }?.parameters.first?.name
    }
}
