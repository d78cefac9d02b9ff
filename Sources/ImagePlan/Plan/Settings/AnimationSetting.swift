extension PlanSetting {
    /// `anim`: how much of an animation is kept; `frame=0` is another spelling of `anim=first`.
    package static let animation = PlanSetting(
        name: "anim",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.mode = try parameter.keyword()
        },
        canonicalValue: { $0.animation.mode == .auto ? nil : $0.animation.mode.rawValue }
    )
}
