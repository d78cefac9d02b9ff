import HTTPKit
import ImagePlan
import LinuxSystem

/// One event loop's memo of recently resolved requests; only one thread calls it, so its lock is never contended.
final class LoopResolver: Sendable {
    private struct State {
        /// 0 before the first request.
        var generation: UInt64 = 0
        var memo = RequestMemo()
    }

    private let cell: ResolverCell
    private let state = Lock(State())

    init(_ cell: ResolverCell) {
        self.cell = cell
    }

    /// Resolves a request to a site, with its client hints if the target uses `auto`.
    ///
    /// - Throws: `Problem` that describes the error in the target.
    func resolve(
        _ head: borrowing RequestHead,
        of site: Site,
        in bytes: Span<UInt8>
    ) throws(Problem) -> ResolvedRequest {
        let target = site.target(of: head)
        // With conditions on request fields, the target alone does not identify the request.
        let matchers = site.resolver.table.rules.matchers
        let traits = matchers?.traits(head, bytes) ?? []
        let request = try hinted(head, target, of: site, in: bytes, traits)
        guard !request.cookies.isEmpty, let cookie = ForwardedCookies.text(request.cookies, head, bytes) else {
            return request
        }
        // Not remembered: there are as many as clients.
        let values = request.hints?.values(head, bytes)
        return try site.resolver.with(traits).resolve(bytes.copy(target), hints: values, cookie: cookie)
    }

    private func hinted(
        _ head: borrowing RequestHead,
        _ range: Range<Int>,
        of site: Site,
        in bytes: Span<UInt8>,
        _ traits: RequestTraits
    ) throws(Problem) -> ResolvedRequest {
        let request = try resolve(range, of: site, in: bytes, traits)
        guard let hints = request.hints else { return request }
        let values = hints.values(head, bytes)
        guard values != hints.options.values else { return request }
        let target = bytes.copy(range)
        // A target contains no line feed, so the names are distinct.
        let name = Self.name(target, traits) + Array("\n\(values.width) \(values.ratio.text)".utf8)
        return state.withLock { state in
            if let known = known(0..<name.count, of: site, in: name.span, state: &state) { return known }
            // Hints alone cause no error, such as a size over a limit.
            guard let hinted = try? site.resolver.with(traits).resolve(target, hints: values) else { return request }
            state.memo.keep(hinted, for: name, of: site)
            return hinted
        }
    }

    /// Resolves a target in the read buffer.
    ///
    /// - Throws: `Problem` that describes the error in it.
    private func resolve(
        _ target: Range<Int>,
        of site: Site,
        in bytes: Span<UInt8>,
        _ traits: RequestTraits
    ) throws(Problem) -> ResolvedRequest {
        if traits.isEmpty,
            let known = state.withLock({ state in known(target, of: site, in: bytes, state: &state) })
        {
            return known
        }
        var copy: [UInt8] = []
        copy.reserveCapacity(target.count)
        for index in target { copy.append(bytes[index]) }
        let name = Self.name(copy, traits)
        return try state.withLock { state throws(Problem) in
            if !traits.isEmpty, let known = known(0..<name.count, of: site, in: name.span, state: &state) {
                return known
            }
            let request = try site.resolver.with(traits).resolve(copy)
            state.memo.keep(request, for: name, of: site)
            return request
        }
    }

    /// The name of a request in the memo: its target, and the conditions on request fields that it fulfils.
    private static func name(_ target: [UInt8], _ traits: RequestTraits) -> [UInt8] {
        traits.isEmpty ? target : target + Array("\n@\(traits.rawValue)".utf8)
    }

    private func known(
        _ target: Range<Int>,
        of site: Site,
        in bytes: Span<UInt8>,
        state: inout State
    ) -> ResolvedRequest? {
        if state.generation != cell.generation {
            // The sites of the configuration before are not found any more.
            state.generation = cell.generation
            state.memo = RequestMemo()
        }
        return state.memo.find(target, of: site, in: bytes)
    }
}
