import HTTPKit
import ImagePipeline

/// What is known of a response besides its tag: the stages that ran for it.
///
/// Hits have none, since no stage ran.
final class AnswerNote: ExchangeNote {
    let timings: StageTimings

    init(_ timings: StageTimings) { self.timings = timings }
}
