import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging

/// Answers requests under overload with something that exists, counts and logs these answers, and has the images made afterwards.
///
/// Any thread.
final class Brownouts: Sendable {
    private let pipeline: Pipeline
    private let metrics: Metrics
    private let time: any TimeSource
    private let followUp: BrownoutFollowUp
    private let log: OverloadLog

    /// - Parameter limit: returns the maximum number of images that wait to be made afterwards.
    init(
        pipeline: Pipeline,
        metrics: Metrics,
        time: any TimeSource,
        logger: Logger,
        limit: @escaping @Sendable () -> Int
    ) {
        let delays = DelayLine()
        self.pipeline = pipeline
        self.metrics = metrics
        self.time = time
        followUp = BrownoutFollowUp(pipeline: pipeline, time: time, delays: delays, limit: limit)
        log = OverloadLog(
            logger,
            begins: "overloaded: requests are answered with what is stored (brownout)",
            ends: "the overload has ended",
            time: time
        ) { delays.run(after: $0, $1) }
    }

    /// The number of images that are still to be made.
    var waiting: Int { followUp.count }

    /// Whether a request may be answered with something else: not if it is to be saved as a file.
    static func apply(to variant: VariantRequest, of request: ResolvedRequest) -> Bool {
        variant.origin.source.brownout.isOn && !request.isDownload
    }

    /// The response with what the pipeline has found.
    func response(
        _ answer: Answer,
        _ rung: BrownoutRung,
        for variant: VariantRequest,
        of request: ResolvedRequest
    ) -> Response {
        note(rung, variant)
        return BrownoutAnswer.response(answer, rung, to: request, now: time.wallSeconds)
    }

    /// Makes the response with a placeholder, if the original is known to exist and may be shared.
    ///
    /// - Parameters:
    ///   - error: the failure of the request.
    ///   - completion: called once, on this thread or on the read lane; with `nil` if there is no placeholder.
    func placeholder(
        for variant: VariantRequest,
        of request: ResolvedRequest,
        after error: PipelineError,
        completion: @escaping @Sendable (Response?) -> Void
    ) {
        guard variant.rungs.contains(.placeholder) else { return completion(nil) }
        pipeline.known(variant.origin) { [self] known in
            guard let known, known.isShared else { return completion(nil) }
            note(.placeholder, variant)
            // An impression of the original would show what other steps hide.
            let isPlain = variant.plan.flatMap { PlainResize(canonicalText: $0) } != nil
            let picture = PlaceholderPicture(of: variant, known, showsImpression: isPlain)
            let status = CacheStatus(error)
            completion(BrownoutAnswer.response(picture, status, to: request, now: time.wallSeconds))
        }
    }

    private func note(_ rung: BrownoutRung, _ variant: VariantRequest) {
        metrics.brownouts.add(1, rung)
        log.note(variant.origin.source.name)
        followUp.make(variant)
    }
}
