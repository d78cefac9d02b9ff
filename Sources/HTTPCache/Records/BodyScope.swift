/// A group of entries that may share equal bodies, in memory and on disk: those of one namespace.
///
/// Bodies of different scopes are kept apart even if they are equal: how long a request takes would reveal what others have stored,
/// and a site's quota would pay for the bodies of others.
package struct BodyScope: Hashable, Sendable {
    /// The namespace; empty for all sources without one.
    package let namespace: String

    /// Creates the scope of a record's source.
    package init(of origin: OriginRecord) { namespace = origin.namespace }
}
