extension PlanSetting {
    /// `frame`: one frame of an animation, zero-based.
    package static let frame = PlanSetting(
        name: "frame",
        defaultText: "all that anim keeps",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.frame = try parameter.integer(in: AnimationSettings.frames)
        },
        canonicalValue: { $0.animation.frame.map { String($0) } }
    )
}
