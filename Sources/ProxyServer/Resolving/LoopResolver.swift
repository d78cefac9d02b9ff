import HTTPKit
import ImagePlan
import LinuxSystem

/// One event loop's resolver with a memo of recent requests; only one thread calls it, so its lock is never contended.
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

    /// Resolves a request, with its client hints if the target uses `auto`.
    ///
    /// - Throws: `Problem` that describes the error in the target.
    func resolve(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Problem) -> ResolvedRequest {
        let place = head.pathAndQuery
        let (known, matchers) = state.withLock { state in
            refresh(&state)
            // With conditions on request fields, the target alone does not identify the request.
            let matchers = state.resolver.table.rules.matchers
            return (matchers == nil ? state.memo.find(place, in: bytes) : nil, matchers)
        }
        let traits = matchers?.traits(head, bytes) ?? []
        let request = try hinted(known, head, in: bytes, traits)
        guard !request.cookies.isEmpty, let cookie = ForwardedCookies.text(request.cookies, head, bytes) else {
            return request
        }
        // Not remembered: there are as many as clients.
        let values = request.hints?.values(head, bytes)
        let target = bytes.copy(head.pathAndQuery)
        return try state.withLock { state throws(Problem) in
            state.resolver.traits = traits
            return try state.resolver.resolve(target, hints: values, cookie: cookie)
        }
    }

    private func hinted(
        _ known: ResolvedRequest?,
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        _ traits: RequestTraits
    ) throws(Problem) -> ResolvedRequest {
        let request: ResolvedRequest
        if let known { request = known } else { request = try resolve(head.pathAndQuery, in: bytes, traits) }
        guard let hints = request.hints else { return request }
        let values = hints.values(head, bytes)
        guard values != hints.options.values else { return request }
        let target = bytes.copy(head.pathAndQuery)
        // A target contains no line feed, so the names are distinct.
        let name = Self.name(target, traits) + Array("\n\(values.width) \(values.ratio.text)".utf8)
        return state.withLock { state in
            refresh(&state)
            if let known = state.memo.find(0..<name.count, in: name.span) { return known }
            state.resolver.traits = traits
            // Hints alone cause no error, such as a size over a limit.
            guard let hinted = try? state.resolver.resolve(target, hints: values) else { return request }
            state.memo.keep(hinted, for: name)
            return hinted
        }
    }

    /// Resolves a target in the read buffer.
    ///
    /// - Throws: `Problem` that describes the error in it.
    private func resolve(
        _ target: Range<Int>,
        in bytes: Span<UInt8>,
        _ traits: RequestTraits
    ) throws(Problem) -> ResolvedRequest {
        var copy: [UInt8] = []
        copy.reserveCapacity(target.count)
        for index in target { copy.append(bytes[index]) }
        let name = Self.name(copy, traits)
        return try state.withLock { state throws(Problem) in
            if state.resolver.table.rules.matchers != nil,
                let known = state.memo.find(0..<name.count, in: name.span)
            {
                return known
            }
            state.resolver.traits = traits
            let request = try state.resolver.resolve(copy)
            state.memo.keep(request, for: name)
            return request
        }
    }

    /// The name of a request in the memo: its target, and the conditions on request fields that it fulfils.
    private static func name(_ target: [UInt8], _ traits: RequestTraits) -> [UInt8] {
        traits.isEmpty ? target : target + Array("\n@\(traits.rawValue)".utf8)
    }

    /// Takes the current resolver after a reload.
    private func refresh(_ state: inout State) {
        guard state.generation != cell.generation else { return }
        (state.resolver, state.generation) = cell.current
        state.memo = RequestMemo()
    }
}
