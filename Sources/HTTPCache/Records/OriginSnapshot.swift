/// A snapshot of an original: its shared state, with the version and record at one moment.
package struct OriginSnapshot: Sendable {
    package let state: OriginState
    /// The value of `OriginState.version`.
    package let version: UInt64
    package var record: OriginRecord
}
