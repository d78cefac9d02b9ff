import ImagePlan

extension Explainer {
    /// Describes how an animated original is handled, which is only known from its header.
    static func words(onFramesOf plan: String, _ limits: AnimationLimits) -> String? {
        guard let settings = try? Plan(canonicalText: plan).settings, !settings.format.isMetadata else { return nil }
        if let frame = settings.animation.stillFrame { return "frame \(frame) of an animation" }
        let bounds = "limits.animation (\(limits.pixels) pixels) and limits.frames (\(limits.frames))"
        if settings.isStill {
            let refuses = settings.animation.mode == .keep || settings.isStrict
            return refuses ? "422 for an animation: it would become a still" : "the first frame of an animation"
        }
        if settings.animation.mode == .keep { return "every frame within \(bounds), else 422" }
        return "every frame within \(bounds), else \(settings.isStrict ? "422" : "fewer or the first")"
    }
}
