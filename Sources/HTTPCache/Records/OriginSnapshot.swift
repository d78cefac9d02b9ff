/// An original at one moment: its shared state, and the version and record that the state had then.
package struct OriginSnapshot: Sendable {
    package let state: OriginState
    /// What `OriginState.version` was.
    package let version: UInt64
    package var record: OriginRecord
}
