import OriginTransfer
import ImagePlan
import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem

/// Validates rules between keys.
enum ConfigurationChecks {
    /// Reports contradictions between keys.
    static func check(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        checkAdmin(configuration, &decoder)
        checkPresets(configuration, &decoder)
        checkDependents(configuration, &decoder)
        checkFallbacks(configuration, &decoder)
        checkTimeouts(configuration, &decoder)
        checkTransfers(configuration, &decoder)
        TierChecks.check(configuration, &decoder)
        checkURLKeys(configuration, &decoder)
        checkRawRemote(configuration, &decoder)
        checkOriginals(configuration, &decoder)
        UnsignedChecks.check(configuration, &decoder)
        DialectChecks.check(configuration, &decoder)
        checkSites(configuration, &decoder)
        checkTracing(configuration.tracing, &decoder)
        ClusterChecks.check(configuration.cluster, &decoder)
    }

    /// Reports contradictions between the keys of one site.
    ///
    /// - Parameter scope: the site's path, with a dot at the end.
    static func checkSite(_ settings: Configuration, scope: String, _ decoder: inout ConfigurationDecoder) {
        checkPresets(settings, scope: scope, &decoder)
        checkSigning(settings, scope: scope, &decoder)
        checkRemote(settings, scope: scope, &decoder)
        checkRawRemote(settings, scope: scope, &decoder)
        checkFallbacks(settings, scope: scope, &decoder)
        checkTimeouts(settings, scope: scope, &decoder)
        TierChecks.checkPolicies(settings, scope: scope, &decoder)
        checkURLKeys(settings, scope: scope, &decoder)
        checkOriginals(settings, scope: scope, &decoder)
        UnsignedChecks.check(settings, scope: scope, &decoder)
        DialectChecks.check(settings, scope: scope, &decoder)
    }

    /// Reports settings of `/fetch` that have no effect for a plain HTTP cache.
    private static func checkRawRemote(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        guard configuration.remote.raw, !configuration.remote.pages.isEmpty else { return }
        let message = "has no effect with remote.raw: true, which forwards responses unchanged"
        let key = scope + "remote.pages"
        decoder.report(message, key: key, place: decoder.places[key])
    }

    /// Reports `jxl-originals` where nothing is transcoded.
    private static func checkOriginals(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        var problems: [(key: String, reason: String)] = []
        if configuration.transcodesOriginals, !configuration.formats[.jxl].writes {
            problems.append(("jxl-originals", "since formats.jxl is \(configuration.formats[.jxl].rawValue)"))
        }
        for source in configuration.sources.map(\.rule) where source.transcodesOriginals {
            let key = "sources.\(source.localName).jxl-originals"
            if !source.formats[.jxl].writes {
                problems.append((key, "since formats.jxl is \(source.formats[.jxl].rawValue)"))
            } else if source.originals == .refuse {
                problems.append((key, "with originals: refuse"))
            }
        }
        // A source that does not set it inherits what others need.
        for (key, reason) in problems {
            guard let place = decoder.places[scope + key] else { continue }
            decoder.report("on has no effect \(reason)", key: scope + key, place: place)
        }
    }

    /// Reports header fields of requests to the collector that have no effect.
    private static func checkTracing(_ tracing: Configuration.Tracing, _ decoder: inout ConfigurationDecoder) {
        let key = "tracing.headers"
        guard let place = decoder.places[key] else { return }
        if !tracing.isOn, !tracing.headers.isEmpty {
            decoder.report("has no effect without tracing.endpoint", key: key, place: place)
        }
        if tracing.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            decoder.report("Content-Type is application/json and cannot be set", key: key, place: place)
        }
    }

    /// Reports keys of encrypted URLs that do not exist.
    private static func checkURLKeys(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        for name in configuration.remote.urlKeys where configuration.key(named: name) == nil {
            let hint = NearestName.hint(name, among: configuration.keys.map(\.name))
            let key = scope + "remote.url-keys"
            decoder.report("there is no key '\(name)' (keys)\(hint)", key: key, place: decoder.places[key])
        }
    }

    /// Reports limits that another one makes ineffective, if they are set.
    private static func checkTransfers(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let (transfers, breaker) = (configuration.transfers, configuration.breaker)
        let contradictions = [
            ("transfers.per-host", "transfers.active", transfers.perHost > transfers.active),
            ("remote.active", "transfers.active", transfers.foreign > transfers.active),
            ("transfers.newest-first", "transfers.waiting", transfers.newestFirstAbove > transfers.waiting),
            ("breaker.pause", "breaker.pause-max", breaker.pause > breaker.pauseMaximum),
        ]
        for (key, limit, isBeyond) in contradictions where isBeyond {
            guard let place = decoder.places[key] ?? (key == "breaker.pause" ? decoder.places[limit] : nil) else {
                continue
            }
            decoder.report("is more than \(limit), which applies first", key: key, place: place)
        }
    }

    /// Reports a `timeouts.total` that is less than `timeouts.first-byte`, if both are set.
    ///
    /// With the default of `first-byte`, a shorter `total` is intended.
    private static func checkTimeouts(
        _ configuration: Configuration,
        scope site: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        let rules =
            [(site, configuration.timeouts.origin)]
            + configuration.sources.map { ("\(site)sources.\($0.rule.localName).", $0.rule.timeouts) }
        for (scope, timeouts) in rules where timeouts.total < timeouts.firstByte {
            let keys = ["timeouts.total", "timeouts.first-byte"]
            // A source that sets neither inherits a problem that is already reported.
            guard let said = keys.first(where: { decoder.places[scope + $0] != nil }),
                keys.allSatisfy({ decoder.places[scope + $0] ?? decoder.places[site + $0] ?? decoder.places[$0] != nil }
                )
            else { continue }
            func time(_ milliseconds: Int) -> String {
                ScaledNumber.text(milliseconds, units: ScaledNumber.milliseconds)
            }
            let message =
                said == keys[0]
                ? "is less than timeouts.first-byte (\(time(timeouts.firstByte))), which could never expire"
                : "is more than timeouts.total (\(time(timeouts.total))), which ends the download earlier"
            decoder.report(message, key: scope + said, place: decoder.places[scope + said])
        }
    }

    private static func checkFallbacks(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        for source in configuration.sources {
            guard let fallback = source.fallback else { continue }
            let key = "\(scope)sources.\(source.rule.localName).fallback.image"
            guard !DataURL.isOne(fallback.image) else {
                checkData(fallback.image, key: key, &decoder)
                continue
            }
            guard let path = try? RequestPath.parse(Array(fallback.image.utf8)), !path.rawPath.isEmpty else {
                decoder.report(
                    "is neither a path such as /static/missing.png nor a data: URL",
                    key: key,
                    place: decoder.places[key]
                )
                continue
            }
            if configuration.source(named: path.source) == nil {
                let hint = NearestName.hint(path.source, among: configuration.sources.map(\.rule.localName))
                decoder.report("there is no source '\(path.source)'\(hint)", key: key, place: decoder.places[key])
            }
        }
    }

    private static func checkData(_ text: String, key: String, _ decoder: inout ConfigurationDecoder) {
        do throws(DataURL.Defect) {
            _ = try DataURL(text)
        } catch {
            decoder.report(error.reason, key: key, place: decoder.places[key])
        }
    }

    private static func checkSigning(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        guard !configuration.hasSignatures else { return }
        if configuration.signing.required {
            let key = scope + "signing.required"
            let message = "requires signing.keys: otherwise no request could be served"
            decoder.report(message, key: key, place: decoder.places[key])
        }
        if configuration.signing.rate > 0 {
            let key = scope + "signing.rate"
            decoder.report("requires signing.keys, which it limits", key: key, place: decoder.places[key])
        }
    }

    /// Reports lists of query parameters that contradict others.
    private static func checkRemote(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        let remote = configuration.remote
        let lists = [
            ("remote.ignore-query", !remote.ignoreQuery.isEmpty),
            ("remote.unkeyed-query", !remote.unkeyedQuery.isEmpty),
            ("remote.sort-query", remote.sortsQuery),
        ]
        for (name, isSet) in lists where isSet && remote.raw {
            let key = scope + name
            decoder.report(
                "has no effect with remote.raw, which forwards URLs unchanged",
                key: key,
                place: decoder.places[key]
            )
        }
        for pattern in remote.unkeyedQuery where remote.ignoreQuery.contains(pattern) {
            let key = scope + "remote.unkeyed-query"
            decoder.report("is both forwarded and ignored: \(pattern)", key: key, place: decoder.places[key])
        }
    }

    /// Reports keys that have no effect without another.
    private static func checkDependents(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        checkSigning(configuration, &decoder)
        checkRemote(configuration, &decoder)
        if configuration.proxies.proxyProtocol, configuration.proxies.trust.isEmpty {
            let message = "requires proxies.trust: the header is only accepted from trusted proxies"
            decoder.report(message, key: "proxies.proxy-protocol", place: decoder.places["proxies.proxy-protocol"])
        }
        checkRedirects(configuration, &decoder)
    }

    private static func checkRedirects(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let redirect = configuration.answers.accelRedirect
        var (key, problem): (String, String?) = ("answers.accel-redirect.prefix", nil)
        if redirect.prefix == nil {
            key = "answers.accel-redirect.from"
            if redirect.from != AccelRedirect.defaultLength { problem = "requires answers.accel-redirect.prefix" }
        } else if configuration.proxies.trust.isEmpty {
            problem = "requires proxies.trust: only a trusted proxy is told the paths of cached files"
        } else if !configuration.cache.hasDisk {
            problem = "requires cache.path, which is off"
        }
        if let problem { decoder.report(problem, key: key, place: decoder.places[key]) }
    }

    private static func checkAdmin(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let addresses = configuration.admin.listen
        if configuration.admin.token.isEmpty, !addresses.allSatisfy(isLocal) {
            let message = "is required if admin.listen is not loopback or a Unix socket"
            let place = decoder.places["admin.token"] ?? decoder.places["admin.listen"]
            decoder.report(message, key: "admin.token", place: place)
        }
        if configuration.listen.contains(where: { addresses.contains($0) && !isFreePort($0) }) {
            let place = decoder.places["admin.listen"] ?? decoder.places["listen"]
            decoder.report("is also the address of the public listener", key: "admin.listen", place: place)
        }
    }

    private static func checkPresets(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        for preset in configuration.presets {
            do throws(RequestError) {
                let plan = try Preset(name: preset.name, text: preset.text).plan
                let refusal = MarkRules.refusal(
                    of: plan,
                    sources: configuration.sources.map(\.rule.localName),
                    rule: { configuration.source(named: $0)?.rule },
                    fonts: configuration.fonts
                )
                if let refusal { throw refusal }
            } catch {
                let key = "\(scope)presets.\(preset.name)"
                decoder.report(error.description, key: key, place: decoder.places[key])
            }
        }
        for source in configuration.sources {
            guard let name = source.preset, configuration.preset(named: name) == nil else { continue }
            let key = "\(scope)sources.\(source.rule.localName).preset"
            let hint = NearestName.hint(name, among: configuration.presets.map(\.name))
            decoder.report("there is no preset '\(name)'\(hint)", key: key, place: decoder.places[key])
        }
    }

    /// Whether only local clients can connect.
    static func isLocal(_ address: ListenAddress) -> Bool {
        switch address {
        case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        default: true
        }
    }

    private static func isFreePort(_ address: ListenAddress) -> Bool {
        if case .tcp(_, port: 0) = address { true } else { false }
    }
}
