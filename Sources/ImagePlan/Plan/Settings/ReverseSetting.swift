extension PlanSetting {
    /// `reverse`: whether an animation is shown backwards; says nothing where the result is a still.
    package static let reverse = PlanSetting(
        name: "reverse",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.isReversed = try parameter.flag()
        },
        canonicalValue: { $0.animation.isReversed ? "1" : nil }
    )
}
