import HTTPKit
import ImagePipeline
import LinuxSystem

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
    var detail: RequestDetail?

    /// Whether the client received an error.
    var isFailure: Bool { status >= 400 }
}

/// What the pipeline knows of a request that was not a hit.
struct RequestDetail: Sendable {
    /// The name of the source.
    var source: String
    /// The stages that ran; `nil` for a failure.
    var timings: StageTimings?
}

/// The details of requests whose exchanges have not ended, by ticket, which travels in `Response.tag`; any thread.
///
/// A ring: details of exchanges that take longer than the next 1,024 misses are lost.
final class RequestDetails: Sendable {
    private static let capacity = 1_024
    private static let shift: UInt64 = 32

    private struct State {
        var last: UInt32 = 0
        var slots = [RequestDetail?](repeating: nil, count: RequestDetails.capacity)
        var tickets = [UInt32](repeating: 0, count: RequestDetails.capacity)
    }

    private let state = Lock(State())

    /// Keeps details, and returns the bits of `Response.tag` that stand for them.
    func keep(_ detail: RequestDetail) -> UInt64 {
        let ticket = state.withLock { state -> UInt32 in
            state.last = state.last == .max ? 1 : state.last + 1
            let index = Int(state.last) % Self.capacity
            (state.slots[index], state.tickets[index]) = (detail, state.last)
            return state.last
        }
        return UInt64(ticket) << Self.shift
    }

    /// Removes and returns the details that a tag stands for; `nil` if there are none, or they are lost.
    func take(_ tag: UInt64) -> RequestDetail? {
        let ticket = UInt32(truncatingIfNeeded: tag >> Self.shift)
        guard ticket != 0 else { return nil }
        return state.withLock { state in
            let index = Int(ticket) % Self.capacity
            guard state.tickets[index] == ticket else { return nil }
            state.tickets[index] = 0
            return state.slots[index].take()
        }
    }
}
