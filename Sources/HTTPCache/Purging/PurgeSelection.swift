/// The entries that a purge selects.
package enum PurgeSelection: Hashable, Sendable {
    /// Originals and everything derived from them.
    case originals([CacheKey])
    /// Everything of a configured source; `fetch` stands for remote URLs.
    case source(String)
    /// Originals with these prefixes, and everything derived from them.
    case prefixes([OriginPrefix])
    /// Originals with one of these tags from their origin, and everything derived from them.
    case tags(Set<String>)
    /// Originals last fetched or validated before this second of the wall clock, and everything derived from them.
    case confirmedBefore(Int64)
    /// Originals that are stale at this second of the wall clock, and everything derived from them.
    case staleAt(Int64)
    /// Variants to which a preset contributed; no originals.
    case preset(PresetPattern)
    case all
    /// What a selection selects in one namespace.
    indirect case within(String, PurgeSelection)

    /// Whether the selection includes a subject or one of its auxiliary images; `nil` if too little is known of the subject.
    package func covers(_ subject: PurgeSubject) -> Bool? {
        let own = coversItself(subject)
        guard own != true, !subject.auxiliaries.isEmpty else { return own }
        let others = subject.auxiliaries.map(coversItself)
        if others.contains(true) { return true }
        return others.contains(nil) ? nil : own
    }

    /// Whether it selects variants without their originals.
    package var isOfVariants: Bool {
        switch self {
        case .preset: true
        case .within(_, let selection): selection.isOfVariants
        default: false
        }
    }

    private func coversItself(_ subject: PurgeSubject) -> Bool? {
        switch self {
        case .originals(let keys): keys.contains(subject.origin)
        case .source(let name): name == subject.source
        case .prefixes(let prefixes): prefixes.contains { $0.covers(subject) }
        case .tags(let tags): subject.record.map { !tags.isDisjoint(with: $0.tags) }
        case .confirmedBefore(let time): subject.record.map { $0.confirmedAt < time }
        case .staleAt(let time): subject.record.map { $0.staleAt <= time }
        case .preset(let pattern): subject.plan.map { pattern.matches(plan: $0, presets: subject.presets) } ?? false
        case .all: true
        case .within(let namespace, let selection):
            CacheNamespace.of(source: subject.source) == namespace ? selection.coversItself(subject) : false
        }
    }
}

/// A source and a prefix of its URLs.
package struct OriginPrefix: Hashable, Sendable {
    /// The source's name; `fetch` for remote URLs.
    package var source: String
    /// The prefix of the normalised upstream URLs; for a folder, of the files' paths below the source's root.
    package var url: String

    /// Creates a prefix.
    package init(source: String, url: String) {
        self.source = source
        self.url = url
    }

    func covers(_ subject: PurgeSubject) -> Bool {
        subject.source == source && subject.url.utf8.starts(with: url.utf8)
    }
}
