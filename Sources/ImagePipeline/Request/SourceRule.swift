package import HTTPCache
package import ImagePlan
package import OriginTransfer

/// A configured source and all settings for its requests: an immutable snapshot of the configuration.
package struct SourceRule: Hashable, Sendable {
    /// The location of the originals.
    package enum Location: Hashable, Sendable {
        /// `/NAME/PATH` requests this URL prefix followed by PATH.
        case http(prefix: String)
        /// `/NAME/PATH` reads the file PATH below this absolute folder, which no symbolic link or `..` can escape.
        case file(root: String)
        /// `/NAME/PATH` requests the object PATH below the bucket's prefix.
        case bucket(ObjectBucket)
        /// `/fetch?url=`: the request contains the whole URL.
        case remote

        /// The URL prefix of the originals; `nil` if there is none.
        package var urlPrefix: String? {
            switch self {
            case .http(let prefix): prefix
            case .bucket(let bucket): bucket.urlPrefix
            case .file, .remote: nil
            }
        }
    }

    /// The response to a request for the bare original.
    package enum OriginalsPolicy: String, Hashable, Sendable, CaseIterable {
        case serve, clean, refuse
    }

    /// The effect of `Cache-Control: no-transform` from an origin (RFC 9111 §5.2.2.6).
    package enum NoTransformPolicy: String, Hashable, Sendable, CaseIterable {
        /// Images are transformed: a gateway acts as its origin (RFC 9110 §3.7), and its URLs request transforms.
        case ignore
        /// The original is served unchanged.
        case obey
    }

    /// The treatment of content that is no image, or whose format is not read (`formats`).
    package enum UnsupportedPolicy: String, Hashable, Sendable, CaseIterable {
        /// The request fails with 415.
        case refuse
        /// The content is served unchanged, with its origin's media type.
        case pass
    }

    /// How originals are stored on disk (SDWebImage: `CacheSerializer`).
    package enum SerializationPolicy: String, Hashable, Sendable, CaseIterable {
        /// As received.
        case none
        /// Large BMP, TIFF and PNG files as a smaller copy with the same pixels (`LosslessCopy`).
        case lossless
        /// These, and JPEG files as JPEG XL, from which they are restored byte for byte (`OriginalTranscoding`).
        case jxl
    }

    package var name: String
    package var location: Location
    /// Further locations of the same originals, which are asked in turn while the first one fails; of the kind of `location`.
    package var mirrors: [Location] = []
    /// Whether loopback, private and link-local addresses are allowed.
    package var allowPrivate: Bool
    /// Header fields of requests to the origin, in order.
    package var headers: [HeaderField]
    /// Credentials for the source's own origin; not sent after redirects to another.
    package var credentials: SourceCredentials?
    /// How the bodies of originals are decoded before they are stored; `nil` to keep them as they are.
    package var decryption: BodyDecryption?
    /// Maximum number of concurrent connections to one host.
    package var connections: Int
    /// When downloads, and with `always` transforms, continue although all clients have left.
    package var continues = ContinuePolicy.standard
    /// Whether only stored responses are served, and no request is sent to the origin.
    package var isOffline = false
    /// How connections to the source's own origin are secured.
    package var tls = TransferTLS()
    /// The proxy through which the source is reached; `nil` for none.
    package var proxy: TransferProxy?
    /// Where connections start; `nil` for the system's choice.
    package var interface: TransferInterface?
    /// Query parameters that are forwarded to the origin, unchanged and in order; names, or patterns with `*`.
    package var forwardQuery: [String]
    /// Names of the client's cookies that are forwarded, in this order, and are part of the key; the responses are private.
    package var forwardCookies: [String] = []
    /// Whether `@2x` and `@3x` at the end of a file's name state the ratio of pixels (`ScaleSuffix`) and are not part of it.
    package var readsScaleSuffix = false
    /// Query parameters that are dropped; names or patterns, as for `forwardQuery`.
    package var ignoreQuery: [String]
    /// Query parameters that are forwarded to the origin and are not part of the cache key, such as signatures.
    package var unkeyedQuery: [String] = []
    /// Whether forwarded parameters are sorted by name.
    package var sortsQuery = false
    /// What matching rules decide besides these settings; `nil` if none do.
    package var effects: RuleEffects?
    /// Whether the source is a plain HTTP cache whose requests and responses are not transformed.
    package var isRaw = false
    /// Methods (RFC 9110 §9) that a raw source accepts in addition to `standardMethods`.
    package var methods: [String] = []
    /// How a raw source stores responses with `Set-Cookie`.
    package var setCookie = SetCookiePolicy.refuse
    /// Whether failures of the origin are remembered (`negative`).
    package var negative = true
    /// Freshness lifetime in seconds if the origin states none.
    package var ttl: Int64
    /// Minimum seconds of a lifetime that the origin states.
    package var ttlMinimum: Int64
    /// Maximum seconds of a lifetime that the origin states.
    package var ttlMaximum: Int64
    /// Seconds for which a stale response is served during revalidation, if the origin states none (RFC 5861 §3).
    package var staleWhileRevalidate: Int64
    /// Seconds for which a stale response is served when the origin fails, if it states none (RFC 5861 §4).
    package var staleIfError: Int64
    /// What requests without a signature may ask.
    package var unsigned = UnsignedUse.any
    package var originals: OriginalsPolicy
    package var noTransform = NoTransformPolicy.ignore
    package var unsupported = UnsupportedPolicy.refuse
    /// Whether mezzanines of large originals are stored, so that each original is decoded once (`Mezzanine`).
    package var keepsMezzanines = true
    /// Which jobs may share a worker process.
    package var isolation = Isolation.none
    /// How originals are stored.
    package var serialization = SerializationPolicy.none
    package var placeholder = PlaceholderPolicy.none
    /// What clients receive while an image takes long to make.
    package var slowMiss = SlowMissRule()
    /// What clients receive under overload.
    package var brownout = BrownoutRule()
    /// Controls when `format=auto` chooses AVIF.
    package var avif = AVIFPolicy()
    /// In how many different minutes a variant must be requested before it is encoded again with more effort; 0 disables it.
    package var recompressAfter = 3
    /// Whether clients that accept JPEG XL get bare JPEG originals as such (`OriginalTranscoding`).
    package var transcodesOriginals = false
    /// How much to lower default qualities for clients with `Save-Data`; 0 disables it.
    package var saveDataStep = 15
    /// Request fields that `w=auto` and `dpr=auto` may use.
    package var clientHints: [ClientHint] = []
    /// How `format=auto` chooses a format.
    package var autoFormat = AutoFormatPolicy.accept
    /// The cache tiers for its variants and originals.
    package var cache: CachePolicy
    package var limits: Limits
    package var timeouts: Timeouts
    package var quality: QualityDefaults
    /// The formats that originals and results may have.
    package var formats = FormatPolicy()

    /// The limits on decoding, and whether the original may be served instead.
    package var animation: AnimationLimits {
        AnimationLimits(
            frames: limits.frames,
            pixels: limits.animation,
            givesOriginals: originals != .refuse,
            bytes: limits.decodeBytes
        )
    }

    /// Whether the originals are local files, which are not copied to the cache.
    package var isFolder: Bool {
        if case .file = location { true } else { false }
    }

    /// Limits of one original.
    package struct Limits: Hashable, Sendable {
        /// Maximum pixels per frame.
        package var pixels: Int
        package var frames: Int
        /// Maximum bytes of the body.
        package var sourceBytes: Int
        package var redirects: Int
        /// Maximum repetitions of a safe request that has failed.
        package var retries: Int
        /// Maximum work of an animation, in pixels over all frames (`AnimationCost`).
        package var animation = AnimationLimits.standardPixels
        /// Maximum bytes of decoded pixels (`DecodeBudget`).
        package var decodeBytes = DecodeBudget.standardBytes
        /// Maximum number of auxiliary images per request.
        package var auxiliaries: Int

        /// Creates limits with the documented defaults.
        package init(
            pixels: Int = 50_000_000,
            frames: Int = AnimationLimits.standardFrames,
            sourceBytes: Int = 64 << 20,
            redirects: Int = 5,
            retries: Int = 1,
            auxiliaries: Int = 4
        ) {
            self.auxiliaries = auxiliaries
            self.pixels = pixels
            self.frames = frames
            self.sourceBytes = sourceBytes
            self.redirects = redirects
            self.retries = retries
        }
    }

    /// Durations in milliseconds.
    package struct Timeouts: Hashable, Sendable {
        package var connect: Int
        package var firstByte: Int
        package var total: Int
        package var transform: Int

        /// Creates timeouts with the documented defaults.
        package init(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000, transform: Int = 10_000) {
            self.connect = connect
            self.firstByte = firstByte
            self.total = total
            self.transform = transform
        }
    }

    /// Creates a rule with the documented defaults.
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

extension SourceRule {
    /// How a raw source stores responses with `Set-Cookie`; the requesting client receives the cookies in either case.
    package enum SetCookiePolicy: String, Hashable, Sendable, CaseIterable {
        /// The response is not stored.
        case refuse
        /// The response is stored like any other (RFC 6265 §3, RFC 9111 §7.3), and all clients receive its cookies.
        case store
    }

    /// The methods that every raw source accepts: the safe ones except TRACE, which would reveal the fields sent to the origin.
    package static let standardMethods = ["GET", "HEAD", "OPTIONS"]

    /// All methods that a raw source accepts, without duplicates.
    package var allMethods: [String] {
        var all = SourceRule.standardMethods
        for method in methods where !all.contains(method) { all.append(method) }
        return all
    }
}
