/// A configuration, and where each key of it was said.
struct LoadedConfiguration: Sendable, Equatable {
    var configuration: Configuration
    /// By the key's full path, such as `sources.photos.ttl`; keys that nobody said are not among them.
    var places: [String: Place] = [:]

    /// Whether a file has said anything.
    var comesFromFile: Bool {
        places.values.contains { place in
            if case .file = place { true } else { false }
        }
    }

    /// Where the first of some keys that anybody said stands; the last of them, with no place, where nobody said any.
    ///
    /// The order is that of inheritance: `sources.photos.limits.pixels` before `limits.pixels`.
    func origin(of keys: String...) -> SettingOrigin {
        for key in keys {
            if let place = places[key] { return SettingOrigin(key: key, place: place) }
        }
        return SettingOrigin(key: keys.last ?? "", place: nil)
    }
}

/// Which key decided, and where it was said.
struct SettingOrigin: Sendable, Hashable {
    /// The key's full path; empty where no key has a say.
    var key: String
    /// `nil` for a default.
    var place: Place?
}
