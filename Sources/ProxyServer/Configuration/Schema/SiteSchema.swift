import ImagePlan

/// All keys of one site.
enum SiteSchema {
    static let table = SettingTable<ConfiguredSite>(own + content + InheritedSetting.all.map { lifted($0.top) })

    private static let largest = 1 << 50

    private static let own: [Setting<ConfiguredSite>] = [
        Setting(
            "hosts",
            \.hosts,
            .nonEmptyList(of: .siteHost),
            takesEnvironment: false,
            "Hosts that the site answers for: names, *.NAME, or * for all others."
        ),
        Setting(
            "prefix",
            \.prefix,
            .optional(.sitePrefix),
            takesEnvironment: false,
            "Beginning of the site's paths, such as /shop, instead of hosts."
        ),
        Setting("token", \.token, .token, takesEnvironment: false, "Bearer token for this site alone."),
        Setting(
            "quota.memory",
            \.quota.memory,
            .optional(.size(0...largest)),
            takesEnvironment: false,
            "The site's own part of cache.memory."
        ),
        Setting(
            "quota.originals",
            \.quota.originals,
            .optional(.size(1 << 20...largest)),
            takesEnvironment: false,
            "The site's own part of cache.originals."
        ),
        Setting(
            "quota.variants",
            \.quota.variants,
            .optional(.size(1 << 20...largest)),
            takesEnvironment: false,
            "The site's own part of cache.variants."
        ),
    ]

    /// The keys at the file's top that a site has for itself.
    private static let content: [Setting<ConfiguredSite>] = ConfigurationSchema.root.settings.filter { setting in
        // The limit of concurrent downloads is one for all sites.
        setting.name != "remote.active"
            && (["sources", "presets", "dialect", "dialect-source"].contains(setting.name)
                || ["remote.", "signing.", "purge.", "dialects."].contains { setting.name.hasPrefix($0) })
    }.map { lifted($0) }

    private static func lifted(_ setting: Setting<Configuration>) -> Setting<ConfiguredSite> {
        setting.below(\.settings, named: setting.name, isInFileOnly: true)
    }

    /// Returns a site as a configuration file would contain it.
    static func yaml(_ site: ConfiguredSite) -> YAMLValue { YAMLValue(table: table, root: site) }
}

extension ValueFormat where Value == SiteHost {
    /// A host that a site answers for.
    static var siteHost: ValueFormat {
        .scalar("a host without a port such as img.example.com, *.example.com or *", parse: SiteHost.init) {
            .quoted($0.text)
        }
    }
}

extension ValueFormat where Value == String {
    /// The beginning of a site's paths: one or more segments of unreserved characters.
    fileprivate static var sitePrefix: ValueFormat {
        .scalar("a path such as /shop, without a slash at its end") { text in
            let segments = text.split(separator: "/", omittingEmptySubsequences: false)
            let isSound = segments.dropFirst().allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".." && segment.utf8.allSatisfy(\.isURLUnreserved)
            }
            return segments.count > 1 && segments[0].isEmpty && isSound ? text : nil
        } write: {
            .quoted($0)
        }
    }
}
