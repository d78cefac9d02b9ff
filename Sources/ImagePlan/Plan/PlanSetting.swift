/// How one setting is read into `PlanSettings` and written in canonical texts.
///
/// One file a setting in this folder's `Settings`; a new one is a property of `PlanSettings`, a file, and a line in `all`.
package struct PlanSetting: Sendable {
    /// The query parameter.
    package let name: String
    /// What holds where nobody says it, for people to read.
    package let defaultText: String
    /// Reads the value.
    package let read: @Sendable (Parameter, inout PlanSettings) throws(RequestError) -> Void
    /// The canonical value; `nil` where the setting has its default.
    package let canonicalValue: @Sendable (PlanSettings) -> String?

    package static let all: [PlanSetting] = [
        alphaQuality, background, chroma, dpi, effort, format, lossless, maximumBytes, metadata, nearLossless,
        progressive,
        quality, sharpYUV,
        animation, frame, loop, page, reverse, speed, strict,
    ]

    /// The setting that a parameter states.
    package static func named(_ name: String) -> PlanSetting? { all.first { $0.name == name } }
}
