/// A group of entries that may share equal bodies, in memory and on disk.
///
/// Bodies of different scopes are kept apart even if they are equal: how long a request takes would reveal what others have stored.
package enum BodyScope: Hashable, Sendable {
    /// All entries of the daemon.
    case daemon
}
