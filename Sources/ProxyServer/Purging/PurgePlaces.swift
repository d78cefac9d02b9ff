import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// Finds out where originals are that a beginning of paths or URLs names.
struct PurgePlaces {
    private let table: SourceTable

    init(_ table: SourceTable) {
        self.table = table
    }

    /// The places that a request's path without query, or an origin's absolute URL, begins with.
    ///
    /// - Throws: `Problem` where it can be the beginning of none.
    func prefixes(of text: String) throws(Problem) -> [OriginPrefix] {
        do {
            return text.hasPrefix("/") ? [try below(text)] : try at(OriginURL(text, of: "prefix"))
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(400, "The prefix was not understood.", parameter: "prefix")
        }
    }

    /// Below a source: `/photos/`, `/photos/2026/`, `/photos/2026/ca`.
    private func below(_ text: String) throws -> OriginPrefix {
        guard !text.contains("?") else { throw Problem(400, "A prefix of paths has no query.", parameter: "prefix") }
        guard let path = try RequestPath.parse(text) else { throw Problem(404, "There is no such source.") }
        guard path.source == "fetch" || table.sources[path.source] != nil else { throw table.unknown(path.source) }
        guard let rule = table.sources[path.source]?.rule else {
            throw Problem(400, "What /fetch has brought is named by the beginning of its URL.", parameter: "prefix")
        }
        switch rule.location {
        case .http(let prefix):
            let url = try OriginURL(prefix + path.rawPath, of: "prefix")
            return OriginPrefix(source: rule.name, url: url.normalized)
        case .bucket(let bucket):
            let url = try OriginURL(bucket.url(rawPath: path.rawPath, rawQuery: ""), of: "prefix")
            return OriginPrefix(source: rule.name, url: url.normalized)
        case .file:
            guard !path.hasEncodedSlash else {
                throw Problem(400, "An encoded slash names no file.", parameter: "prefix")
            }
            return OriginPrefix(source: rule.name, url: path.segments.joined(separator: "/"))
        case .remote: throw table.unknown(path.source)
        }
    }

    /// At an origin, whichever sources ask it: those below the prefix, and those that the prefix is below of.
    private func at(_ url: OriginURL) -> [OriginPrefix] {
        let own = table.sources.values.filter { entry in
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix) else { return false }
            return url.normalized.hasPrefix(start.normalized) || start.normalized.hasPrefix(url.normalized)
        }
        let names = [table.remote.rule.name] + own.map(\.rule.name).sorted()
        return names.map { OriginPrefix(source: $0, url: url.normalized) }
    }
}
