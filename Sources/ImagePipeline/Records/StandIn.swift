import HTTPCache

/// The extra data of a temporary substitute: WebP served until the AVIF is made.
///
/// Immutable. A class, because few entities have one and the others should not grow.
package final class StandIn: Hashable, Sendable {
    /// The substitute's record.
    let record: VariantRecord
    /// The lifetime for clients, in seconds.
    package let lifetime: Int64

    init(record: VariantRecord, lifetime: Int64) {
        self.record = record
        self.lifetime = lifetime
    }

    package static func == (left: StandIn, right: StandIn) -> Bool {
        left.record == right.record && left.lifetime == right.lifetime
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(record.digest) }
}
