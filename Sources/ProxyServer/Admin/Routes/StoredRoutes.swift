import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging
import OriginTransfer

/// A request path that an operator names, resolved without the checks of signatures.
struct NamedRequest {
    let path: String
    let request: ResolvedRequest

    /// Resolves the parameter `path`, at the site of its prefix or the one that the parameter `site` names.
    ///
    /// - Parameters:
    ///   - resolver: returns the resolver of a site to use.
    ///   - others: further parameters.
    /// - Throws: `Problem` 400 or 404 if there is none, if it is not that of an image, or if other parameters are given.
    init(
        _ query: [UInt8],
        at sites: SiteTable,
        by resolver: (RequestResolver) -> RequestResolver,
        allowing others: [String] = []
    ) throws(Problem) {
        let values = try ExplainRoute.values(query, ["path", "site"] + others)
        guard let path = values["path"] else {
            throw Problem(
                400,
                "path= is missing: the percent-encoded path and query of a request, such as /photos/cat.jpg.",
                parameter: "path"
            )
        }
        guard path.hasPrefix("/") else {
            throw Problem(400, "path= must begin with a slash, as in /photos/cat.jpg.", parameter: "path")
        }
        let place = try sites.place(of: path, named: values["site"])
        let (resolver, target) = (resolver(place.site.resolver), Array(place.target.utf8))
        guard resolver.rawRule(of: target) == nil else {
            throw Problem(400, "The path belongs to a raw source, which has no images.", parameter: "path")
        }
        self.path = path
        request = try resolver.resolve(target)
    }
}

/// `GET /has?path=…`: tells which tiers hold a variant and its original; fetches nothing and makes nothing (SDWebImage:
/// `diskImageExists`, `cachedImageExists`).
struct HasRoute: AdminRoute {
    let pipeline: Pipeline
    let resolver: ResolverCell

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .onLane(of: pipeline) { () throws(Problem) in
            let named = try NamedRequest(
                request.query,
                at: resolver.table,
                by: \.withoutPermission,
                allowing: ["accept"]
            )
            var variants = named.request.variants
            if let accept = request.parameter("accept") {
                variants = [named.request.variant(for: FormatBucket(accept: Array(accept.utf8).span))]
            }
            let found = variants.map { (variant: $0, copies: pipeline.copies(of: $0)) }
            let list = found.map { entry in
                JSONValue.object(
                    [.init("bucket", entry.variant.bucket.map { .string($0.name) } ?? .null)]
                        + Self.members(entry.copies)
                )
            }
            var original: [JSONValue.Member] = []
            if let origin = variants.first?.origin {
                original = Self.members(pipeline.copies(of: origin)).filter { $0.name == "disk" }
            }
            return .now(
                .admin(
                    .object([
                        .init("path", .string(named.path)),
                        .init("cached", .bool(found.contains { !$0.copies.isEmpty })),
                        .init("variants", .array(list)), .init("original", .object(original)),
                    ])
                )
            )
        }
    }

    private static func members(_ copies: StoredCopies) -> [JSONValue.Member] {
        func value(_ copy: StoredCopy?) -> JSONValue {
            guard let copy else { return .null }
            return .object([
                .init("fresh", .bool(copy.isFresh)), .init("age", .number(Int(clamping: copy.age))),
                .init("bytes", .number(copy.length)),
            ])
        }
        return [.init("memory", value(copies.memory)), .init("disk", value(copies.disk))]
    }
}

/// `GET /entry?path=…`: responds with the stored bytes of a variant and its fields, or 404; fetches nothing and makes nothing
/// (SDWebImage: `queryCacheOperation`).
///
/// The bytes of an original that is stored as JPEG XL are restored.
struct EntryRoute: AdminRoute {
    let pipeline: Pipeline
    let resolver: ResolverCell
    let time: any TimeSource

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .onLane(of: pipeline) { () throws(Problem) in
            let named = try NamedRequest(
                request.query,
                at: resolver.table,
                by: \.withoutPermission,
                allowing: ["accept"]
            )
            let accept = request.parameter("accept") ?? request.fields["accept"] ?? ""
            let variant = named.request.variant(for: FormatBucket(accept: Array(accept.utf8).span))
            let request = named.request
            if let found = pipeline.stored(variant) { return .now(response(found.entity, found.tier, to: request)) }
            guard variant.plan == nil, !pipeline.copies(of: variant).isEmpty else {
                throw Problem(404, "Nothing is stored for this path.", parameter: "path")
            }
            return .later { complete in
                pipeline.load(variant, LoadContext(demand: Self.whatIsStored)) { result in
                    switch result {
                    case .success(let answer): complete(response(answer.entity, .disk, to: request))
                    case .failure(let error): complete(Response(Problem(error)))
                    }
                }
            }
        }
    }

    /// Fresh or stale, without the origin.
    private static let whatIsStored = CacheDemand(CacheControl("only-if-cached, max-stale"), isTrusted: true)

    private func response(_ entity: Entity, _ tier: CacheStatus.Tier, to request: ResolvedRequest) -> Response {
        let now = time.wallSeconds
        let fields = request.fields(for: entity.description.mediaType)
        return EntityResponse.whole(
            entity,
            dynamic: CacheStatusFields.field(.hit(entity.isFresh(at: now) ? tier : .stale)) + fields,
            age: entity.age(at: now),
            tag: 0
        )
    }
}

/// `PUT /original?path=…`: stores an original that a build system sends, as if its origin had just sent it (SDWebImage:
/// `storeImage:forKey:`).
///
/// Responds with 201, or with 204 if there was one, when it is committed to the disk. `Cache-Control`, `ETag` and `Last-Modified`
/// of the request are stored with it.
struct PutOriginalRoute: AdminRoute {
    let pipeline: Pipeline
    let resolver: ResolverCell
    let live: LiveConfiguration
    let logger: Logger

    func destination(_ query: [UInt8]) -> BodyDestination? {
        do throws(Problem) {
            let source = try origin(query).source
            let path = live.current.cache.path
            let limit = source.limits.sourceBytes
            return .sink(PushedBody(limit: limit, folder: path.isEmpty ? nil : path + "/tmp"), limit: limit)
        } catch {
            return .refused(Response(error, closes: true))
        }
    }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let origin = try origin(request.query)
            let body = try Self.body(request.pushed)
            let original = try Self.original(body, try Self.fields(request.fields))
            return .later { complete in
                pipeline.push(original, as: origin) { result in
                    complete(answer(result, origin, body.length, by: "\(request.peer)"))
                }
            }
        } catch {
            return .now(Response(error))
        }
    }

    /// The original that the query names.
    private func origin(_ query: [UInt8]) throws(Problem) -> OriginRequest {
        let named = try NamedRequest(query, at: resolver.table, by: \.withoutGuards)
        let variant = named.request.variant(for: .rest)
        guard variant.plan == nil else {
            throw Problem(
                400,
                "The path names a variant; leave out the parameters that change the image.",
                parameter: "path"
            )
        }
        let source = variant.origin.source
        guard !source.isFolder else {
            throw Problem(400, "The source '\(source.name)' serves a folder: put the file there.", parameter: "path")
        }
        guard source.cache.originals.keepOnDisk else {
            throw Problem(400, "The source '\(source.name)' does not keep originals on disk.", parameter: "path")
        }
        return variant.origin
    }

    private static func body(_ pushed: Result<TransferBody, TransferError>?) throws(Problem) -> TransferBody {
        guard let pushed else { throw Problem(400, "The request has no content: send the image's bytes.") }
        do throws(TransferError) {
            return try pushed.get()
        } catch {
            guard case .overloaded(let reason) = error else { throw Problem(PipelineError(error)) }
            throw Problem(503, "The content cannot be kept: \(reason).", retryAfter: 1)
        }
    }

    private static func original(_ body: TransferBody, _ fields: FieldLines) throws(Problem) -> PushedOriginal {
        do throws(PipelineError) { return try PushedOriginal(body, fields: fields) } catch { throw Problem(error) }
    }

    private static func fields(_ sent: [String: String]) throws(Problem) -> FieldLines {
        let control = CacheControl(sent["cache-control"] ?? "")
        guard !control.noStore, !control.private.isPresent else {
            throw Problem(400, "Cache-Control forbids storing the image.", parameter: "Cache-Control")
        }
        var lines = FieldLines()
        for (key, name) in [
            ("cache-control", "Cache-Control"), ("etag", "ETag"), ("last-modified", "Last-Modified"),
        ] {
            if let value = sent[key] { lines.append(name, value) }
        }
        return lines
    }

    private func answer(
        _ result: Result<Pipeline.Push, PipelineError>,
        _ origin: OriginRequest,
        _ length: Int,
        by: String
    ) -> Response {
        switch result {
        case .failure(let error): return Response(Problem(error))
        case .success(.unstored): return Response(Problem(503, "The original could not be stored.", retryAfter: 5))
        case .success(let push):
            logger.notice(
                "original stored",
                metadata: [
                    "source": "\(origin.source.name)", "url": "\(ActivityEvent.withoutSecrets(origin.identity))",
                    "bytes": "\(length)", "by": "\(by)",
                ]
            )
            var response = Response(status: push == .created ? 201 : 204)
            response.fields = FieldBlock(["Cache-Control": "no-store"]).bytes
            return response
        }
    }
}

extension AdminAnswer {
    /// Answers from the read lane, where questions to the disk may block.
    fileprivate static func onLane(
        of pipeline: Pipeline,
        _ body: @escaping @Sendable () throws(Problem) -> AdminAnswer
    ) -> AdminAnswer {
        .later { complete in
            let isTaken = pipeline.submit {
                do throws(Problem) {
                    switch try body() {
                    case .now(let response): complete(response)
                    case .later(let start): start(complete)
                    }
                } catch {
                    complete(Response(error))
                }
            }
            if !isTaken { complete(Response(Problem.diskQueueFull)) }
        }
    }
}
