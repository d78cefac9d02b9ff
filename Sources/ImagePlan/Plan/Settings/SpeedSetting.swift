extension PlanSetting {
    /// `speed`: how many times faster an animation is shown; says nothing where the result is a still.
    package static let speed = PlanSetting(
        name: "speed",
        defaultText: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.speed = try parameter.decimal(in: AnimationSettings.speeds)
        },
        canonicalValue: { settings in
            let speed = settings.animation.speed
            return speed == AnimationSettings.standardSpeed ? nil : speed.text
        }
    )
}
