/// What a response allows a shared cache to do (RFC 9111 §3, §4.2; RFC 5861; RFC 9213), computed once, when it arrives.
package struct ResponsePolicy: Hashable, Sendable {
    /// The effective directives: those of a valid `CDN-Cache-Control`, otherwise those of `Cache-Control`.
    package let control: CacheControl
    /// The freshness of the response; a purge shortens it.
    package var freshness: Freshness
    /// Whether the response states its freshness lifetime (RFC 9111 §4.2.1).
    package let statesLifetime: Bool
    /// Whether the response may be stored and used for other requests.
    package let isStorable: Bool
    /// How long the response may be used when stale.
    package let staleAllowance: StaleAllowance

    /// The properties of the request that matter.
    package struct Request: Hashable, Sendable {
        /// Whether the method is GET, the only one whose responses are stored.
        package var isGet: Bool
        /// Whether the request has `Authorization` (RFC 9111 §3.5).
        package var isAuthorized: Bool
        /// Whether the request has `no-store`.
        package var noStore: Bool

        /// Creates request properties.
        package init(isGet: Bool, isAuthorized: Bool, noStore: Bool) {
            self.isGet = isGet
            self.isAuthorized = isAuthorized
            self.noStore = noStore
        }
    }

    /// The operator's bounds and defaults for freshness lifetimes, in seconds.
    package struct Bounds: Hashable, Sendable {
        /// The lifetime of a response that states none; `nil` for a heuristic one (RFC 9111 §4.2.2).
        package var defaultLifetime: Int64?
        /// The minimum of a stated lifetime; not applied to `no-cache`.
        package var minimum: Int64
        /// The maximum lifetime.
        package var maximum: Int64
        /// The lifetime regardless of the response; `nil` for the one that it states.
        package var granted: Int64?
        /// The lifetime of a 404 or 410 that states none (RFC 9110 §15.1); `nil` treats them like other statuses.
        package var missingLifetime: Int64?

        /// Creates bounds; by default the response alone decides.
        package init(
            defaultLifetime: Int64? = nil,
            minimum: Int64 = 0,
            maximum: Int64 = .max,
            granted: Int64? = nil,
            missingLifetime: Int64? = nil
        ) {
            self.defaultLifetime = defaultLifetime
            self.minimum = minimum
            self.maximum = maximum
            self.granted = granted
            self.missingLifetime = missingLifetime
        }
    }

    /// Computes the policy of a response.
    ///
    /// - Parameters:
    ///   - requestTime: when the request was sent, in seconds since 1970.
    ///   - responseTime: when the head of the response arrived, in seconds since 1970.
    ///   - bounds: the operator's bounds and defaults.
    package init(
        _ request: Request,
        status: Int,
        fields: FieldLines,
        requestTime: Int64,
        responseTime: Int64,
        bounds: Bounds = Bounds()
    ) {
        let (control, isTargeted) = Self.control(fields)
        // RFC 9213 §2.2: a targeted field also overrides Expires.
        let expires = isTargeted ? nil : fields["expires"]
        self.control = control
        let defaultLifetime = [404, 410].contains(status) ? bounds.missingLifetime : bounds.defaultLifetime
        var freshness = Freshness.compute(
            control: control,
            expires: expires,
            date: fields["date"],
            age: fields["age"],
            requestTime: requestTime,
            responseTime: responseTime,
            defaultLifetime: defaultLifetime ?? Self.heuristicLifetime(status, control, fields, responseTime),
            minimum: bounds.minimum,
            maximum: bounds.maximum
        )
        if let granted = bounds.granted {
            freshness = Freshness(responseTime: responseTime, initialAge: 0, lifetime: granted)
        }
        self.freshness = freshness
        statesLifetime = control.sMaxAge ?? control.maxAge != nil || expires != nil
        isStorable = Self.isStorable(request, status, control, hasExpires: expires != nil)
        staleAllowance = StaleAllowance(control)
    }

    /// Creates the policy of an already stored response.
    ///
    /// - Parameter freshness: as computed when the response arrived, possibly reduced since.
    package init(storedWith fields: FieldLines, freshness: Freshness) {
        control = Self.control(fields).control
        self.freshness = freshness
        statesLifetime = control.sMaxAge ?? control.maxAge != nil || fields.contains("expires")
        isStorable = true
        staleAllowance = StaleAllowance(control)
    }

    /// The effective directives, and whether they come from a targeted field (RFC 9213 §2.1).
    private static func control(_ fields: FieldLines) -> (control: CacheControl, isTargeted: Bool) {
        if let targeted = fields["cdn-cache-control"].flatMap({ CacheControl(targeted: $0) }) {
            return (targeted, true)
        }
        return (fields["cache-control"].map { CacheControl($0) } ?? CacheControl(), false)
    }

    /// Whether using the stale response requires validation, even if the request accepts it (RFC 9111 §4.2.4).
    package var forbidsStale: Bool { control.forbidsStale || control.noCache == .whole }

    /// The rules of RFC 9111 §3, in order.
    private static func isStorable(
        _ request: Request,
        _ status: Int,
        _ control: CacheControl,
        hasExpires: Bool
    ) -> Bool {
        // 1xx are not final, a 206 is a part and a 304 an update; 412 and 416 depend on fields that are not part of the key.
        guard request.isGet, status >= 200, ![206, 304, 412, 416].contains(status), !request.noStore else {
            return false
        }
        if control.mustUnderstand {
            guard understood.contains(status) else { return false }
        } else if control.noStore {
            return false
        }
        guard control.private != .whole else { return false }
        if request.isAuthorized {
            guard control.mustRevalidate || control.public || control.sMaxAge != nil else { return false }
        }
        return control.public || hasExpires || control.maxAge != nil || control.sMaxAge != nil
            || heuristicallyCacheable.contains(status)
    }

    /// RFC 9111 §4.2.2: a tenth of the time since the last modification, a day at most.
    private static func heuristicLifetime(
        _ status: Int,
        _ control: CacheControl,
        _ fields: FieldLines,
        _ responseTime: Int64
    ) -> Int64 {
        guard heuristicallyCacheable.contains(status) || control.public,
            let modified = fields["last-modified"].flatMap({ HTTPDate($0, now: responseTime) })?.seconds
        else { return 0 }
        let date = fields["date"].flatMap { HTTPDate($0, now: responseTime) }?.seconds ?? responseTime
        return min(max(0, date - modified) / 10, 86_400)
    }

    /// RFC 9110 §15.1.
    private static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Status codes whose caching requirements are implemented (RFC 9111 §5.2.2.3).
    private static let understood: Set<Int> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 410, 414, 451, 500, 501, 502, 503,
        504,
    ]
}

extension ResponsePolicy {
    /// The policy with its freshness lifetime set to 0.
    package var expired: ResponsePolicy {
        var freshness = freshness
        freshness.lifetime = 0
        return ResponsePolicy(self, freshness: freshness)
    }

    /// The policy, stale from `now` on at the latest, in seconds since 1970.
    package func expired(at now: Int64) -> ResponsePolicy {
        guard freshness.staleAt > now else { return self }
        var freshness = freshness
        freshness.lifetime = now - freshness.bornAt
        return ResponsePolicy(self, freshness: freshness)
    }

    private init(_ other: ResponsePolicy, freshness: Freshness) {
        control = other.control
        self.freshness = freshness
        statesLifetime = other.statesLifetime
        isStorable = other.isStorable
        staleAllowance = other.staleAllowance
    }
}
