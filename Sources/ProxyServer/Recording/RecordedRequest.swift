import ImagePipeline

/// A request that the recorder remembers.
struct RecordedRequest: Sendable {
    /// The end of the exchange, in monotonic nanoseconds.
    var end: Int64
    /// The end of the exchange, in seconds since 1970.
    var second: Int64
    /// Microseconds from the end of the request to the last byte of the response.
    var duration: Int64
    /// Bytes sent, head and content.
    var bytes: Int64
    var status: Int
    var result: RequestResult
    /// Whether the complete response was written.
    var isComplete: Bool
    /// The beginning of the request target as sent; show it as `ShownTarget` does.
    var target: [UInt8]
    /// The stages that ran; `nil` for hits and failures.
    var timings: StageTimings?

    /// Whether the client received an error.
    var isFailure: Bool { status >= 400 }
}
