import HTTPKit
import ImagePipeline

/// A promise whose response says which source it is from; any thread.
struct SourcedPromise: Sendable {
    private let promise: ResponsePromise
    private let tag: UInt64

    /// - Parameter tag: the source's part of `AnswerTag`.
    init(_ promise: ResponsePromise, tag: UInt64) {
        (self.promise, self.tag) = (promise, tag)
    }

    /// Whether the promise has been completed.
    var isCompleted: Bool { promise.isCompleted }

    /// Passes the response to the connection's loop.
    ///
    /// - Parameter note: the stages that ran for it; `nil` if none did.
    func complete(_ response: Response, _ note: AnswerNote? = nil) {
        var response = response.tagged(tag)
        response.note = note
        promise.complete(response)
    }
}

extension Response {
    /// The response with further bits of `AnswerTag`.
    func tagged(_ bits: UInt64) -> Response {
        var response = self
        response.tag |= bits
        return response
    }
}
