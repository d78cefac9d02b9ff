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
    private let live: LiveConfiguration
    private let memory = MemoryCache<[UInt8]>(MemoryCache.Configuration(capacity: 4 << 20, shards: 1))

    init(live: LiveConfiguration) { self.live = live }

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
        let prefix = PlainPictureTarget.prefix
        guard target.count >= prefix.count, bytes[target.lowerBound + 1] == prefix[1] else { return nil }
        for (index, byte) in prefix.enumerated() where bytes[target.lowerBound + index] != byte { return nil }
        let cors = live.current.answers.cors
        do throws(Problem) {
            let longest = live.current.placeholders.largest
            let wanted = try PlainPictureTarget(
                bytes.copy(target),
                by: site.resolver,
                longest: longest,
                now: context.wallSeconds
            )
            let format = wanted.format ?? (Self.acceptsWebP(head, bytes) ? .webp : .png)
            let conditions = RequestConditions(head, bytes: bytes)
            return response(wanted, format, conditions, context).with(cors.fields)
        } catch {
            return Response(error, id: context.trace.id).readable(by: cors)
        }
    }

    private static func acceptsWebP(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        var accepts = false
        head.forEach(.accept) { accepts = accepts || FormatBucket(accept: bytes.extracting($0)) != .rest }
        return accepts
    }

    private func response(
        _ wanted: PlainPictureTarget,
        _ format: PlainPicture.Format,
        _ conditions: RequestConditions?,
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
        let lifetime = min(wanted.secondsLeft ?? .max, 31_536_000)
        var block = FieldBlock()
        block.append("Content-Type", format.mediaType)
        var kept = FieldBlock()
        kept.append("ETag", tag)
        kept.append("Cache-Control", "public, max-age=\(lifetime)\(wanted.secondsLeft == nil ? ", immutable" : "")")
        if wanted.format == nil { kept.append("Vary", "Accept") }
        // Neither a hit nor forwarded: there is no origin (RFC 9211 §2).
        kept.append("Cache-Status", "edgeprint; \(isStored ? "hit; detail=memory" : "detail=generated")")
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
