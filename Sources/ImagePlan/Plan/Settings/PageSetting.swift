extension PlanSetting {
    /// `page`: one page of a source that has several, zero-based.
    package static let page = PlanSetting(
        name: "page",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.page = try parameter.integer(in: AnimationSettings.pages)
        },
        canonicalValue: { $0.animation.page == 0 ? nil : String($0.animation.page) }
    )
}
