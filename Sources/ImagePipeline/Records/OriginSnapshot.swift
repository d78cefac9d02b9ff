import HTTPCache

/// An original at one moment: its shared state, and the version and record that the state had then.
struct OriginSnapshot: Sendable {
    let state: OriginState
    /// What `OriginState.version` was.
    let version: UInt64
    var record: OriginRecord
}
