/// What a purge is about.
package enum PurgeSelection: Hashable, Sendable {
    /// Originals, each with all that was made of it.
    case originals([CacheKey])
    /// Everything of a configured source; `fetch` for remote URLs.
    case source(String)
    /// Originals at these places, each with all that was made of it.
    case prefixes([OriginPrefix])
    /// Originals that their origin has marked with one of these tags, each with all that was made of it.
    case tags(Set<String>)
    /// Originals that were last fetched or confirmed before this second of the wall clock, each with all that was made of it.
    case confirmedBefore(Int64)
    /// Pictures that a preset had its say in; no originals.
    case preset(PresetPattern)
    case all

    /// Whether something belongs to it, or is made with something that does; `nil` where too little is known of that.
    package func covers(_ subject: PurgeSubject) -> Bool? {
        let own = coversItself(subject)
        guard own != true, !subject.ingredients.isEmpty else { return own }
        let others = subject.ingredients.map(coversItself)
        if others.contains(true) { return true }
        return others.contains(nil) ? nil : own
    }

    private func coversItself(_ subject: PurgeSubject) -> Bool? {
        switch self {
        case .originals(let keys): keys.contains(subject.origin)
        case .source(let name): name == subject.source
        case .prefixes(let prefixes): prefixes.contains { $0.covers(subject) }
        case .tags(let tags): subject.record.map { !tags.isDisjoint(with: $0.tags) }
        case .confirmedBefore(let time): subject.record.map { $0.confirmedAt < time }
        case .preset(let pattern): subject.plan.map { pattern.matches(plan: $0, presets: subject.presets) } ?? false
        case .all: true
        }
    }
}

/// Where originals are: a source, and what their URLs begin with.
package struct OriginPrefix: Hashable, Sendable {
    /// The source's name; `fetch` for remote URLs.
    package var source: String
    /// What the upstream URLs begin with, in their normal form; for a folder its files' paths below the source's root.
    package var url: String

    /// Names a place.
    package init(source: String, url: String) {
        self.source = source
        self.url = url
    }

    func covers(_ subject: PurgeSubject) -> Bool {
        subject.source == source && subject.url.utf8.starts(with: url.utf8)
    }
}
