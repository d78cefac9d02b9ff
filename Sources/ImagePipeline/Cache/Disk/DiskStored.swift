package import LinuxSystem

/// A variant found on disk: its bytes lie in `file` from offset 0, `record.length` of them.
package struct StoredVariant: Sendable {
    package var record: VariantRecord
    package var origin: OriginRecord
    /// Stays readable when the entry is evicted.
    package var file: SharedDescriptor
}

/// An origin found on disk, its body in `file` from offset 0 unless that has gone.
package struct StoredOrigin: Sendable {
    package var record: OriginRecord
    /// `nil` when only the record is left; stays readable when the entry is evicted.
    package var file: SharedDescriptor?
}
