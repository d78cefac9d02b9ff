/// The steps of the request language.
///
/// To add one, add a file in this folder and a line here.
package enum StepRegistry {
    package static let types: [any TransformStep.Type] = [
        ResizeStep.self,
        CropStep.self,
        RoundStep.self,
        BorderStep.self,
        BlurStep.self,
        SharpenStep.self,
        FlipStep.self,
        RotateStep.self,
        PixelateStep.self,
        BrightnessStep.self,
        OffsetStep.self,
        ContrastStep.self,
        SaturationStep.self,
        HueStep.self,
        GammaStep.self,
        FilterStep.self,
        TintStep.self,
        PadStep.self,
        TrimStep.self,
        MaskStep.self,
        WatermarkStep.self,
    ]

    /// The attributes of all steps.
    package static let attributes: Set<String> = Set(types.flatMap { $0.attributes })

    /// The forms of all attributes.
    package static let attributeForms: [ParameterForm] = types.flatMap { $0.attributeForms } + StepContext.forms
}
