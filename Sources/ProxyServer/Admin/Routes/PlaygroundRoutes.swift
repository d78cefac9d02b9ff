import AdminPages
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// The routes of the playground, where operators try plans on pictures.
struct PlaygroundRoutes: Sendable {
    let pictures: PlaygroundPictures
    let pipeline: Pipeline
    let resolver: ResolverCell
    let live: LiveConfiguration
    let time: any TimeSource

    init(pipeline: Pipeline, resolver: ResolverCell, live: LiveConfiguration, time: any TimeSource) {
        pictures = PlaygroundPictures(time: time) { PlaygroundPictures.Limits(live.current) }
        self.pipeline = pipeline
        self.resolver = resolver
        self.live = live
        self.time = time
    }

    /// Method, path and route of each.
    var all: [(HTTPMethod, String, any AdminRoute)] {
        let add = AddPictureRoute(pictures: pictures, live: live)
        let image = PlaygroundImageRoute(
            pictures: pictures,
            pipeline: pipeline,
            resolver: resolver,
            live: live,
            time: time
        )
        return [
            (.get, "/playground", PlaygroundPageRoute()),
            (.get, "/playground/setup", PlaygroundSetupRoute(resolver: resolver, live: live)),
            (.put, "/playground/pictures", add),
            (.post, "/playground/pictures", add),
            (.delete, "/playground/pictures/*", RemovePictureRoute(pictures: pictures)),
            (.get, "/playground/image", image),
            (.post, "/playground/sign", PlaygroundSignRoute(resolver: resolver, time: time)),
            (.get, "/language", LanguageRoute()),
            (.get, "/overlay.js", OverlayRoute()),
        ]
    }
}

/// `GET /playground/setup`: what the playground needs of the configuration; no secrets.
struct PlaygroundSetupRoute: AdminRoute {
    let resolver: ResolverCell
    let live: LiveConfiguration

    /// The `Accept` fields for images of widespread clients.
    static let clients = [
        (
            "Safari",
            "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,"
                + "image/svg+xml,image/*;q=0.8,*/*;q=0.5"
        ),
        ("Chrome", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"),
        ("Firefox", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"),
        ("SDWebImage", "image/*,*/*;q=0.8"),
    ]

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let (configuration, site) = (live.current, resolver.table.standard)
        let limits = PlaygroundPictures.Limits(configuration)
        let sources = site.resolver.table.sources.filter { !$0.value.rule.isRaw }.keys.sorted()
        let port = configuration.listen.lazy.compactMap(\.port).first
        let clients = Self.clients.map { name, accept in
            JSONValue.object([.init("name", .string(name)), .init("accept", .string(accept))])
        }
        let presets = configuration.presets.map(\.name)
        let largest = min(limits.bytes, configuration.limits.origin.sourceBytes)
        return .now(
            .admin(
                .object([
                    .init("sources", .array(sources.map { .string($0) })),
                    .init("presets", .array(presets.map { .string($0) })),
                    .init("signing", .bool(site.resolver.permission?.signer.hasKeys ?? false)),
                    .init("required", .bool(site.resolver.permission?.isRequired ?? false)),
                    .init("pictures", .number(limits.pictures)), .init("bytes", .number(largest)),
                    .init("port", port.map { .number(Int($0)) } ?? .null),
                    .init("clients", .array(clients)),
                ])
            )
        )
    }
}
