/// Whether and how a connection ends in its current state; evaluated after every transition, in `EventLoop.settle`.
enum ConnectionEnd {
    /// Stays open: a response is due or being written, or more requests may come.
    case open
    /// Everything is written, but there may be unread input.
    ///
    /// RFC 9112 §9.6: closing now would reset the connection, and the client could lose the response. Only the sending side is
    /// closed, and input is discarded for a while.
    case linger
    /// Closes: nothing is left to do.
    case close
}

extension Connection {
    /// Whether and how the connection ends in its current state.
    ///
    /// - Parameter drainLimit: the maximum number of bytes to read and discard while lingering.
    @inline(__always)
    func end(_ policy: ServerConfiguration.HalfClosePolicy, drainLimit: Int) -> ConnectionEnd {
        switch phase {
        case .closed:
            return .open
        case .answering:
            return isHalfClosed && policy == .gone ? .close : .open
        case .lingering:
            return isInputEnded || drained > drainLimit ? .close : .open
        case .reading:
            if let output { return output.isWaiting && isHalfClosed && policy == .gone ? .close : .open }
            if closesAfterOutput {
                return !isInputEnded && (lingers || mayRead) ? .linger : .close
            }
            // No more input will come, and every complete request has been answered.
            return isInputEnded && !hasUnparsedInput ? .close : .open
        }
    }
}
