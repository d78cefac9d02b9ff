import LinuxSystem

/// One event loop's resolver with what it understood last; its lock is never contended, as one thread calls.
final class LoopResolver: Sendable {
    private struct State {
        /// 0 before the first request.
        var generation: UInt64 = 0
        var resolver: RequestResolver
        var memo = RequestMemo()
    }

    private let cell: ResolverCell
    private let state: Lock<State>

    init(_ cell: ResolverCell) {
        self.cell = cell
        state = Lock(State(resolver: cell.current.resolver))
    }

    /// What a target, a part of a read buffer, asks for.
    ///
    /// - Throws: `Problem`, naming what is wrong with it.
    func resolve(_ target: Range<Int>, in bytes: Span<UInt8>) throws(Problem) -> ResolvedRequest {
        if let known = state.withLock({ state in known(target, in: bytes, state: &state) }) { return known }
        var copy: [UInt8] = []
        copy.reserveCapacity(target.count)
        for index in target { copy.append(bytes[index]) }
        return try state.withLock { state throws(Problem) in
            let request = try state.resolver.resolve(copy)
            state.memo.keep(request, for: copy)
            return request
        }
    }

    private func known(_ target: Range<Int>, in bytes: Span<UInt8>, state: inout State) -> ResolvedRequest? {
        if state.generation != cell.generation {
            (state.resolver, state.generation) = cell.current
            state.memo = RequestMemo()
        }
        return state.memo.find(target, in: bytes)
    }
}
