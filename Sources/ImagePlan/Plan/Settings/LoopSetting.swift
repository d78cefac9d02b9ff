extension PlanSetting {
    /// `loop`: the rounds of an animation, 0 for ever; says nothing where the result is a still.
    package static let loop = PlanSetting(
        name: "loop",
        defaultText: "the original's",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.loop = try parameter.integer(in: AnimationSettings.loops)
        },
        canonicalValue: { $0.animation.loop.map { String($0) } }
    )
}
