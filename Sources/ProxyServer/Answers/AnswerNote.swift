import HTTPKit
import HTTPSemantics
import ImagePipeline

/// What is known of a response besides its tag: the stages that ran for it.
///
/// Hits have none, since no stage ran.
final class AnswerNote: ExchangeNote {
    let timings: StageTimings
    /// When the last stage ended, in monotonic nanoseconds.
    let end: Int64
    /// Whether the stages ran for another request, which this one joined.
    let isShared: Bool

    /// Describes an answer of the pipeline that has just arrived.
    ///
    /// - Parameter end: the current time, in monotonic nanoseconds.
    convenience init(_ answer: Answer, end: Int64) {
        self.init(answer.timings, end: end, isShared: answer.status.isCollapsed)
    }

    init(_ timings: StageTimings, end: Int64, isShared: Bool = false) {
        self.timings = timings
        self.end = end
        self.isShared = isShared
    }
}
