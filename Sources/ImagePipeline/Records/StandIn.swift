import HTTPCache

/// What an entity has beside others that is served until a better one is made: WebP in place of AVIF.
///
/// Immutable, and a class: few entities have one, and the others are not to be larger for it.
package final class StandIn: Hashable, Sendable {
    /// What is stored of it.
    let record: VariantRecord
    /// Seconds for which clients may keep it.
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
