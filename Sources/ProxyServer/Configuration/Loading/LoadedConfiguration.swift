/// A configuration with the place where each key was set.
struct LoadedConfiguration: Sendable, Equatable {
    var configuration: Configuration
    /// The places by full path, such as `sources.photos.ttl`; keys at their defaults are absent.
    var places: [String: Place] = [:]
    /// The keys that a site has set, if these are the settings of one, and the path of the site with a dot at its end.
    var own: Set<String> = []
    var scope = ""
    /// Whether a configuration file was read, even one that sets nothing.
    var hasFile = false

    /// Whether any key was set in a file.
    var comesFromFile: Bool {
        places.values.contains { place in
            if case .file = place { true } else { false }
        }
    }

    /// The first of the keys that was set, with its place; the last key without a place if none was set.
    ///
    /// The keys are in order of inheritance: `sources.photos.limits.pixels` before `limits.pixels`.
    func origin(of keys: String...) -> SettingOrigin {
        for key in keys {
            if let place = places[key] {
                return SettingOrigin(key: own.contains(key) ? scope + key : key, place: place)
            }
        }
        return SettingOrigin(key: keys.last ?? "", place: nil)
    }
}

/// The key that determined a value, and the place where it was set.
struct SettingOrigin: Sendable, Hashable {
    /// The key's full path; empty if no key applies.
    var key: String
    /// `nil` for a default.
    var place: Place?
}
