import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// Resolves a prefix of paths or URLs to prefixes of originals.
struct PurgePlaces {
    private let table: SourceTable

    init(_ table: SourceTable) {
        self.table = table
    }

    /// The origin prefixes for a prefix of request paths, without query, or of absolute URLs.
    ///
    /// - Throws: `Problem` if nothing can have this prefix.
    func prefixes(of text: String) throws(Problem) -> [OriginPrefix] {
        do {
            return text.hasPrefix("/") ? [try below(text)] : try at(OriginURL(text, of: "prefix"))
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(400, "The prefix is invalid.", parameter: "prefix")
        }
    }

    /// Below a source: `/photos/`, `/photos/2026/`, `/photos/2026/ca`.
    private func below(_ text: String) throws -> OriginPrefix {
        guard !text.contains("?") else {
            throw Problem(400, "A path prefix must not have a query.", parameter: "prefix")
        }
        guard let path = try RequestPath.parse(text) else { throw Problem(404, "There is no such source.") }
        guard path.source == "fetch" || table.sources[path.source] != nil else { throw table.unknown(path.source) }
        if let problem = table.borrowing(path.source, parameter: "prefix") { throw problem }
        guard let rule = table.sources[path.source]?.rule else {
            throw Problem(
                400,
                "Originals fetched by /fetch are selected by a prefix of their URL.",
                parameter: "prefix"
            )
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
                throw Problem(400, "File names cannot contain an encoded slash.", parameter: "prefix")
            }
            return OriginPrefix(source: rule.name, url: path.segments.joined(separator: "/"))
        case .remote: throw table.unknown(path.source)
        }
    }

    /// A URL prefix for every source that overlaps with it.
    private func at(_ url: OriginURL) -> [OriginPrefix] {
        let own = table.sources.values.filter { entry in
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix) else { return false }
            return url.normalized.hasPrefix(start.normalized) || start.normalized.hasPrefix(url.normalized)
        }
        let names = [table.remote.rule.name] + own.map(\.rule.name).sorted()
        return names.map { OriginPrefix(source: $0, url: url.normalized) }
    }
}

extension SourceTable {
    /// The 400 for a purge of a source that has the images of another one (`dialect-source`); `nil` for other sources.
    func borrowing(_ name: String, parameter: String) -> Problem? {
        guard let owner = sources[name]?.reading.dialectSource else { return nil }
        return Problem(
            400,
            "The images of '\(name)' are those of the source '\(owner)' (dialect-source): purge them there.",
            parameter: parameter
        )
    }
}
