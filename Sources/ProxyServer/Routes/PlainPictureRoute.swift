import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// `GET /placeholder/WIDTHxHEIGHT/COLOUR.FORMAT`: images of one colour, for pages and for tests.
///
/// Colour and format may be missing: light grey, and WebP for clients that accept it, else PNG. Without `signing.required` the
/// requests need no signature.
final class PlainPictureRoute: Sendable {
    /// The first segment of the path, which no source can have as its name.
    static let name = "placeholder"
    private static let prefix = Array("/\(name)/".utf8)
    private static let standardColor = "e0e0e0"
    private static let form = "use /\(name)/WIDTHxHEIGHT/COLOUR.FORMAT, such as /\(name)/300x200/ff8800.png"

    private let live: LiveConfiguration
    private let memory = MemoryCache<[UInt8]>(MemoryCache.Configuration(capacity: 4 << 20, shards: 1))

    init(live: LiveConfiguration) { self.live = live }

    /// Whether a target below the prefix of its site names a plain image.
    static func takes(_ target: some Collection<UInt8>, in table: SourceTable) -> Bool {
        // All paths of a site with a dialect are the other server's.
        table.dialect == nil && target.starts(with: prefix)
    }

    /// Handles a GET or HEAD request to a site, on an event loop; `nil` if the path is another one.
    func handle(
        _ head: borrowing RequestHead,
        of site: Site,
        bytes: Span<UInt8>,
        context: RequestContext
    ) -> Response? {
        // All paths of such a site are the other server's.
        guard site.resolver.table.dialect == nil else { return nil }
        let target = site.target(of: head)
        guard target.count >= Self.prefix.count, bytes[target.lowerBound + 1] == Self.prefix[1] else { return nil }
        for (index, byte) in Self.prefix.enumerated() where bytes[target.lowerBound + index] != byte { return nil }
        let cors = live.current.answers.cors
        do throws(Problem) {
            let parts = bytes.copy(target).split(
                separator: UInt8(ascii: "?"),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let (path, query) = (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
            let secondsLeft = try permit(path, query, of: site, context)
            let wanted = try Wanted(path.dropFirst(Self.prefix.count), longest: live.current.placeholders.largest)
            let format = wanted.format ?? (Self.acceptsWebP(head, bytes) ? .webp : .png)
            let conditions = RequestConditions(head, bytes: bytes)
            return response(wanted, format, conditions, secondsLeft, context).with(cors.fields)
        } catch {
            return Response(error, id: context.trace.id).readable(by: cors)
        }
    }

    private static func acceptsWebP(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        var accepts = false
        head.forEach(.accept) { accepts = accepts || FormatBucket(accept: bytes.extracting($0)) != .rest }
        return accepts
    }

    /// Checks the query and the signature.
    ///
    /// - Returns: the seconds until the request expires; `nil` for never.
    private func permit(
        _ path: [UInt8],
        _ query: [UInt8],
        of site: Site,
        _ context: RequestContext
    ) throws(Problem) -> Int64? {
        guard live.current.placeholders.largest > 0 else {
            throw Problem(404, "Plain images are not served here (placeholders.largest is 0).")
        }
        let parsed: ParsedQuery
        do throws(RequestError) {
            parsed = try RequestLanguage.parse(query: query, options: ParseOptions())
        } catch {
            throw Problem(error)
        }
        guard parsed.isBare else { throw Problem(400, "A plain image takes no parameters; \(Self.form).") }
        try site.resolver.permission?.check(parsed, path: path)
        guard let expires = parsed.expires else { return nil }
        guard expires > context.wallSeconds else { throw ExpiringAnswer.refusal }
        return expires - context.wallSeconds
    }

    /// The image that a path names.
    private struct Wanted {
        var picture: PlainPicture
        /// `nil` if the path names none.
        var format: PlainPicture.Format?

        init(_ path: ArraySlice<UInt8>, longest: Int) throws(Problem) {
            var parts = String(decoding: path, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
            if let last = parts.last, let dot = last.lastIndex(of: ".") {
                format = try Self.format(last[last.index(after: dot)...])
                parts[parts.count - 1] = last[..<dot]
            }
            guard (1...2).contains(parts.count) else { throw Self.problem("has the wrong number of segments") }
            let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1],
                (1...longest).contains(width), (1...longest).contains(height)
            else { throw Self.problem("must begin with sides from 1 to \(longest) (placeholders.largest)") }
            let color: Color
            do throws(RequestError) {
                color = try Color(parsing: Parameter("path", parts.count == 2 ? String(parts[1]) : standardColor))
            } catch {
                throw Problem(error)
            }
            picture = PlainPicture(size: PixelSize(width: width, height: height), color: color)
        }

        private static func format(_ text: Substring) throws(Problem) -> PlainPicture.Format {
            if text == "jpg" { return .jpeg }
            if let format = PlainPicture.Format(rawValue: String(text)) { return format }
            let names = PlainPicture.Format.allCases.map(\.rawValue)
            let hint = NearestName.hint(String(text.prefix(16)), among: names)
            throw problem("must end with .png, .webp, .jpeg or .jpg\(hint)")
        }

        private static func problem(_ what: String) -> Problem {
            Problem(400, "path: \(what); \(form).", parameter: "path")
        }
    }

    private func response(
        _ wanted: Wanted,
        _ format: PlainPicture.Format,
        _ conditions: RequestConditions?,
        _ secondsLeft: Int64?,
        _ context: RequestContext
    ) -> Response {
        let picture = wanted.picture
        let key = CacheKey(hashing: "plain/1\n\(picture.size)\n\(picture.color.text)\n\(format)")
        var bytes = memory.value(for: key)
        let isStored = bytes != nil
        if bytes == nil {
            let made = picture.encoded(as: format)
            memory.insert(made, for: key, cost: made.count)
            bytes = made
        }
        let body = bytes ?? []
        let tag = EntityPresentation.entityTag(CacheKey(hashing: body))
        let lifetime = min(secondsLeft ?? .max, 31_536_000)
        var block = FieldBlock()
        block.append("Content-Type", format.mediaType)
        var kept = FieldBlock()
        kept.append("ETag", tag)
        kept.append("Cache-Control", "public, max-age=\(lifetime)\(secondsLeft == nil ? ", immutable" : "")")
        if wanted.format == nil { kept.append("Vary", "Accept") }
        if isStored { kept.append("Cache-Status", "edgeprint; hit; detail=memory") }
        var response = Response(status: 200)
        response.fields = block.bytes + kept.bytes + CommonFields.bytes
        response.body = .bytes(body)
        response.tag = RequestResult.other.tag
        let verdict = Preconditions.evaluate(
            ifNoneMatch: conditions?.ifNoneMatch,
            ifModifiedSince: nil,
            entityTag: EntityTag(tag),
            lastModified: nil,
            now: context.wallSeconds
        )
        if verdict != .proceed {
            response.status = 304
            response.fields = kept.bytes + CommonFields.bytes
            response.body = .none
        }
        return response
    }
}
