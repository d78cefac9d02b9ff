import ImagePlan
import LinuxSystem

/// The request that an invalid one probably meant; it is valid.
struct TargetCorrection: Sendable, Hashable {
    /// Path and query, which begin with a single slash.
    let target: String
    /// Whether it works as it is; otherwise it needs another signature.
    let isLink: Bool

    /// The maximum number of parts that are corrected.
    private static let rounds = 4

    /// Finds the nearest valid request; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - target: the request target as sent.
    ///   - problem: what is wrong with it.
    ///   - site: the site that refused it.
    init?(of target: [UInt8], after problem: Problem, at site: Site) {
        // The corrections of a target that the page shows only in part could not be recognised.
        guard [400, 404].contains(problem.status), target.count <= ErrorPage.longest,
            let text = String(validating: target, as: UTF8.self)
        else { return nil }
        let mount = String(decoding: site.mount, as: UTF8.self)
        let resolver = site.resolver
        var request = Request(site.stripped(text))
        guard !resolver.readsForeign(request.path) else { return nil }
        let isSigned = request.names.contains("sig")
        let source = resolver.nearestSource(to: request.path)
        if let source { request.path = source }
        request.remove(["sig"])
        var problem: Problem? = source == nil ? problem : Self.problem(of: request, by: resolver, isSigned: isSigned)
        var round = 0
        while let wrong = problem {
            guard round < Self.rounds, let parameter = wrong.parameter else { return nil }
            round += 1
            let candidates = resolver.corrections(of: request, parameter: parameter)
            let judged = candidates.map { ($0, Self.problem(of: $0, by: resolver, isSigned: isSigned)) }
            // A candidate with another error is a step forward.
            guard
                let next = judged.first(where: { $0.1 == nil }) ?? judged.first(where: { $0.1?.detail != wrong.detail })
            else { return nil }
            (request, problem) = next
        }
        guard source != nil || round > 0 else { return nil }
        let whole = mount + request.text
        guard whole.hasPrefix("/"), !whole.hasPrefix("//"), !whole.hasPrefix("/\\") else { return nil }
        self.target = whole
        isLink = !isSigned
    }

    private static func problem(of request: Request, by resolver: RequestResolver, isSigned: Bool) -> Problem? {
        let resolver = isSigned ? resolver.withoutPermission : resolver
        do throws(Problem) {
            let resolved = try resolver.resolve(Array(request.text.utf8))
            guard !isSigned, let expires = resolved.expires, resolver.time.wallSeconds >= expires else { return nil }
            // Nothing corrects a time.
            var refusal = ExpiringAnswer.refusal
            refusal.parameter = nil
            return refusal
        } catch {
            return error
        }
    }

    /// A path with a query.
    struct Request: Sendable {
        var path: String
        var query: String

        init(_ target: String) {
            let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = String(halves[0])
            query = halves.count > 1 ? String(halves[1]) : ""
        }

        /// The names of the query's parameters.
        var names: [String] { query.split(separator: "&").map { QueryFilter.name(of: $0) } }

        var text: String { query.isEmpty ? path : "\(path)?\(query)" }

        /// Removes parameters.
        mutating func remove(_ names: [String]) {
            query = query.split(separator: "&").filter { !names.contains(QueryFilter.name(of: $0)) }
                .joined(separator: "&")
        }
    }
}

extension RequestResolver {
    /// Whether a path is in another server's language, or may have parameters, of which the query tells nothing.
    fileprivate func readsForeign(_ path: String) -> Bool {
        let reading = table.sources[RequestPath.name(in: path.utf8)]?.reading
        return table.dialect != nil || reading?.dialect != nil || reading?.isPathStyle == true
    }

    /// A path with the nearest source in place of one that does not exist; `nil` if it exists, or if none is near.
    fileprivate func nearestSource(to path: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        let name = RequestPath.name(in: path.utf8)
        guard name != "fetch", table.sources[name] == nil else { return nil }
        guard let nearest = NearestName.of(name, among: table.sources.keys.sorted() + ["fetch"]) else { return nil }
        return "/" + nearest + path.dropFirst().drop { $0 != "/" }
    }

    fileprivate func corrections(
        of request: TargetCorrection.Request,
        parameter: String
    ) -> [TargetCorrection.Request] {
        let name = RequestPath.name(in: request.path.utf8)
        guard let options = name == "fetch" ? table.remote.options : table.sources[name]?.options else { return [] }
        return RequestLanguage.corrections(of: Array(request.query.utf8), parameter: parameter, options: options).map {
            var corrected = request
            corrected.query = $0
            return corrected
        }
    }
}
