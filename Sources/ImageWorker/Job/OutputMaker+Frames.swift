import ImagePlan

/// Which frames of an animation an output is made of.
extension OutputMaker {
    /// Refuses a frame that is not there.
    ///
    /// - Throws: `RequestError`, 422, naming `frame`.
    func checkFrame(_ plan: Plan) throws(RequestError) {
        guard let frame = plan.settings.animation.frame, frame >= facts.frames else { return }
        throw RequestError(
            parameter: PlanSetting.frame.name,
            reason: "is \(frame), and the last frame is \(facts.frames - 1)",
            status: .unprocessable
        )
    }
}
