package import HTTPCache
package import ImagePlan
package import OriginTransfer

/// One configured source with everything that applies to a request through it: an immutable snapshot of the configuration.
package struct SourceRule: Hashable, Sendable {
    /// Where the originals are.
    package enum Location: Hashable, Sendable {
        /// `/NAME/PATH` asks this URL prefix + PATH.
        case http(prefix: String)
        /// `/NAME/PATH` reads the file PATH below this absolute folder, which no symlink or `..` leaves.
        case file(root: String)
        /// `/NAME/PATH` asks the object PATH below the bucket's prefix.
        case bucket(ObjectBucket)
        /// `/fetch?url=`: the request names the whole URL.
        case remote

        /// The URL that a request's path is put behind; `nil` where there is none.
        package var urlPrefix: String? {
            switch self {
            case .http(let prefix): prefix
            case .bucket(let bucket): bucket.urlPrefix
            case .file, .remote: nil
            }
        }
    }

    /// What a request for the bare original answers.
    package enum OriginalsPolicy: String, Hashable, Sendable, CaseIterable {
        case serve, clean, refuse
    }

    /// What `Cache-Control: no-transform` of an origin comes to (RFC 9111 §5.2.2.6).
    package enum NoTransformPolicy: String, Hashable, Sendable, CaseIterable {
        /// Pictures are made all the same: a gateway speaks for its origin (RFC 9110 §3.7), and its URLs ask for transforms.
        case ignore
        /// The original is answered as it is.
        case obey
    }

    package var name: String
    package var location: Location
    /// Whether loopback, private and link-local addresses may be asked.
    package var allowPrivate: Bool
    /// Request header fields for the origin, in order (credentials among them).
    package var headers: [HeaderField]
    /// What its own host is shown, and no other that it redirects to.
    package var credentials: SourceCredentials?
    /// The most connections to one host at a time.
    package var connections: Int
    /// Query parameters that go upstream, raw and in their order.
    package var forwardQuery: [String]
    /// Query parameters that are dropped.
    package var ignoreQuery: [String]
    /// Whether requests pass through as they are, as a plain HTTP cache has it, and are no requests for pictures.
    package var isRaw = false
    /// Methods (RFC 9110 §9) that a raw source takes beside `standardMethods`.
    package var methods: [String] = []
    /// What becomes of a raw source's answers with `Set-Cookie`.
    package var setCookie = SetCookiePolicy.refuse
    /// Whether failures of the origin are remembered (`negative`).
    package var negative = true
    /// Seconds of freshness where the origin says nothing.
    package var ttl: Int64
    /// Bounds in seconds of what the origin says.
    package var ttlMinimum: Int64
    package var ttlMaximum: Int64
    /// Seconds for which a stale picture is served while the origin is asked, where the origin says nothing (RFC 5861 §3).
    package var staleWhileRevalidate: Int64
    /// Seconds for which a stale picture is served when the origin cannot be asked, where it says nothing (RFC 5861 §4).
    package var staleIfError: Int64
    package var originals: OriginalsPolicy
    package var noTransform = NoTransformPolicy.ignore
    /// Whether large originals are kept at a fraction of their size as well, so that they are decoded once (`Mezzanine`).
    package var keepsMezzanines = true
    package var placeholder = PlaceholderPolicy.none
    /// When `format=auto` answers AVIF.
    package var avif = AVIFPolicy()
    /// How much lower qualities that nobody named are for clients that save data; 0 for not at all.
    package var saveDataStep = 15
    /// Fields of the request that `w=auto` and `dpr=auto` go by.
    package var clientHints: [ClientHint] = []
    /// How `format=auto` is answered.
    package var autoFormat = AutoFormatPolicy.accept
    /// Which tiers keep what comes of it.
    package var cache: CachePolicy
    package var limits: Limits
    package var timeouts: Timeouts
    package var quality: QualityDefaults
    package var formats = Formats()

    /// What an animation of it may take, and whether the original may stand for it.
    package var animation: AnimationLimits {
        AnimationLimits(frames: limits.frames, pixels: limits.animation, givesOriginals: originals != .refuse)
    }

    /// Whether the originals are files of this machine, which no second copy need be kept of.
    package var isFolder: Bool {
        if case .file = location { true } else { false }
    }

    /// Bounds of one original.
    package struct Limits: Hashable, Sendable {
        /// Pixels of a frame.
        package var pixels: Int
        package var frames: Int
        /// Bytes of the body.
        package var sourceBytes: Int
        package var redirects: Int
        /// The work of an animation, in pixels over all frames (`AnimationCost`).
        package var animation = AnimationLimits.standardPixels
        /// The most other originals that one request may name.
        package var ingredients: Int

        /// Creates limits; the contract's where nothing is given.
        package init(
            pixels: Int = 50_000_000,
            frames: Int = AnimationLimits.standardFrames,
            sourceBytes: Int = 64 << 20,
            redirects: Int = 5,
            ingredients: Int = 4
        ) {
            self.ingredients = ingredients
            self.pixels = pixels
            self.frames = frames
            self.sourceBytes = sourceBytes
            self.redirects = redirects
        }
    }

    /// Formats that are decoded only where the operator says so.
    package struct Formats: Hashable, Sendable {
        /// Whether pages of PDF documents are drawn.
        package var pdf: Bool

        /// Creates settings; nothing is decoded by default.
        package init(pdf: Bool = false) {
            self.pdf = pdf
        }
    }

    /// Durations in milliseconds.
    package struct Timeouts: Hashable, Sendable {
        package var connect: Int
        package var firstByte: Int
        package var total: Int
        package var transform: Int

        /// Creates timeouts; the contract's where nothing is given.
        package init(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000, transform: Int = 10_000) {
            self.connect = connect
            self.firstByte = firstByte
            self.total = total
            self.transform = transform
        }
    }

    /// Creates a rule; the contract's defaults where nothing is given.
    package init(
        name: String,
        location: Location,
        allowPrivate: Bool = false,
        headers: [HeaderField] = [],
        credentials: SourceCredentials? = nil,
        connections: Int = 6,
        forwardQuery: [String] = [],
        ignoreQuery: [String] = [],
        ttl: Int64 = 3600,
        ttlMinimum: Int64 = 0,
        ttlMaximum: Int64 = .max,
        staleWhileRevalidate: Int64 = 0,
        staleIfError: Int64 = 3600,
        originals: OriginalsPolicy = .serve,
        cache: CachePolicy = CachePolicy(.all),
        limits: Limits = Limits(),
        timeouts: Timeouts = Timeouts(),
        quality: QualityDefaults = QualityDefaults()
    ) {
        self.name = name
        self.location = location
        self.allowPrivate = allowPrivate
        self.headers = headers
        self.credentials = credentials
        self.connections = connections
        self.forwardQuery = forwardQuery
        self.ignoreQuery = ignoreQuery
        self.ttl = ttl
        self.ttlMinimum = ttlMinimum
        self.ttlMaximum = ttlMaximum
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.originals = originals
        self.cache = cache
        self.limits = limits
        self.timeouts = timeouts
        self.quality = quality
    }
}
