/// A query parameter that sets one property of `PlanSettings`: its parser and its canonical spelling.
///
/// Each setting is declared next to the property it sets. To add one, add the property, its `PlanSetting`, and a line in `all`.
package struct PlanSetting: Sendable {
    /// The query parameter.
    package let name: String
    /// The default, as documentation states it.
    package let defaultText: String
    /// The value's form.
    package let form: ValueForm
    /// A valid value other than the default.
    package let example: String
    /// Parses the value into the settings; throws 400 naming the parameter.
    package let read: @Sendable (Parameter, inout PlanSettings) throws(RequestError) -> Void
    /// The canonical value; `nil` where the setting has its default.
    package let canonicalValue: @Sendable (PlanSettings) -> String?

    package static let all: [PlanSetting] = [
        alphaQuality, background, chroma, dpi, dynamicRange, effort, format, lossless, maximumBytes, metadata,
        nearLossless,
        progressive, quality, sharpYUV,
        animation, frame, frames, loop, page, pixel, reverse, speed, strict,
    ]
}
