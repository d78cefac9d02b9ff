import HTTPKit
import ImagePlan
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

    /// What a request asks for, by its hints where its target leaves something to them.
    ///
    /// - Throws: `Problem`, naming what is wrong with its target.
    func resolve(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Problem) -> ResolvedRequest {
        let request = try resolve(head.pathAndQuery, in: bytes)
        guard let hints = request.hints else { return request }
        let values = hints.values(head, bytes)
        guard values != hints.options.values else { return request }
        let target = bytes.copy(head.pathAndQuery)
        // No target has a line end in it.
        let name = target + Array("\n\(values.width) \(values.ratio.text)".utf8)
        return state.withLock { state in
            if let known = known(0..<name.count, in: name.span, state: &state) { return known }
            // What the target is with these values, such as one over a limit, is no fault of the target.
            guard let hinted = try? state.resolver.resolve(target, hints: values) else { return request }
            state.memo.keep(hinted, for: name)
            return hinted
        }
    }

    /// What a target, a part of a read buffer, asks for.
    ///
    /// - Throws: `Problem`, naming what is wrong with it.
    private func resolve(_ target: Range<Int>, in bytes: Span<UInt8>) throws(Problem) -> ResolvedRequest {
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
