/// What a connection's state says about its end; asked after every transition, in `EventLoop.settle`.
enum ConnectionEnd {
    /// It goes on: an answer is owed or being written, or more may come.
    case open
    /// Everything is written, but unread input is certain or likely.
    ///
    /// RFC 9112 §9.6: closing now would reset the connection, and the client might lose the answer; so only our side is
    /// shut down, and what still comes is read for a while.
    case linger
    /// Nothing is left to do.
    case close
}

extension Connection {
    /// What becomes of the connection in the state that it is in.
    ///
    /// - Parameter drainLimit: bytes that are read and thrown away at most while it lingers.
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
            if output != nil { return .open }
            if closesAfterOutput {
                return !isInputEnded && (lingers || mayRead) ? .linger : .close
            }
            // Nothing more will come; everything that came is answered, up to the beginning of a request.
            return isInputEnded && !hasUnparsedInput ? .close : .open
        }
    }
}
