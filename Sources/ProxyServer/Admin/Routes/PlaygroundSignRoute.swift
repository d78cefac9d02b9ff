import HTTPKit
import ImagePlan
import LinuxSystem

/// `POST /playground/sign`: signs the path and query of a request with the first key of its site.
///
/// The content is `{"path": …}`, with `"seconds"` for how long it is valid. `sig` of the path is replaced, and `exp` if `seconds` is
/// given. The response is `{"path": …}`. The key does not leave the server.
struct PlaygroundSignRoute: AdminRoute {
    let resolver: ResolverCell
    let time: any TimeSource

    /// The longest life of a signature, in seconds: ten years.
    private static let longest = 315_360_000

    func destination(_ query: [UInt8]) -> BodyDestination? { .memory(limit: 64 << 10) }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let order = JSONValue(parsing: String(decoding: request.body, as: UTF8.self))
            guard let order, case .string(let path)? = order["path"], path.hasPrefix("/") else {
                throw Problem(400, "The content must be a JSON object with the path of a request.", parameter: "path")
            }
            if let name = JSONMembers.repeated(in: request.body) {
                throw Problem(400, "The object has \(name.prefix(64)) more than once.", parameter: name)
            }
            let seconds = order["seconds"]
            guard seconds == nil || seconds?.int.map({ (1...Self.longest).contains($0) }) == true else {
                throw Problem(400, "seconds must be a whole number from 1 to \(Self.longest).", parameter: "seconds")
            }
            let signed = try sign(path, seconds: seconds?.int)
            return .now(.admin(.object([.init("path", .string(signed))])))
        } catch {
            return .now(Response(error))
        }
    }

    private func sign(_ path: String, seconds: Int?) throws(Problem) -> String {
        let place = try resolver.table.place(of: path, named: nil)
        let own = place.site.resolver
        guard let signer = own.permission?.signer, signer.hasKeys else {
            throw Problem(409, "There is no key to sign with (signing.keys).")
        }
        let parts = place.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let raw = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        guard !raw.contains(where: { QueryFilter.name(of: $0) == SignatureScope.name }) else {
            throw Problem(400, "Sign a scope with edgeprint url --scope.", parameter: SignatureScope.name)
        }
        let replaced = seconds == nil ? ["sig"] : ["exp", "sig"]
        var pairs = raw.filter { !replaced.contains(QueryFilter.name(of: $0)) }
        if let seconds { pairs.append("exp=\(time.wallSeconds + Int64(seconds))") }
        let (start, query) = (String(parts[0]), pairs.joined(separator: "&"))
        let target = query.isEmpty ? start : "\(start)?\(query)"
        let bytes = Array(target.utf8)
        guard own.withoutPermission.rawRule(of: bytes) == nil else {
            throw Problem(400, "The path belongs to a raw source; sign it with edgeprint url.", parameter: "path")
        }
        let read = try own.withoutPermission.own(bytes)
        guard read.foreign == nil else {
            throw Problem(
                400,
                "The path is in another server's language, which has signatures of its own.",
                parameter: "path"
            )
        }
        _ = try own.withoutPermission.resolve(bytes)
        guard let signature = signer.signature(path: read.path, query: read.query) else {
            throw Problem(409, "There is no key to sign with (signing.keys).")
        }
        let mount = String(decoding: place.site.mount, as: UTF8.self)
        return "\(mount)\(target)\(query.isEmpty ? "?" : "&")sig=\(signature)"
    }
}
