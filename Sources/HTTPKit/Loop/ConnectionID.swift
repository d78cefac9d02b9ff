/// The identity of a connection: its slot in the loop, and the slot's generation.
///
/// Also serves as epoll user data. Events and responses for a closed connection do not match the slot's new generation and are
/// dropped.
struct ConnectionID: Hashable, Sendable {
    var slot: UInt32
    var generation: UInt32

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(userData: UInt64) {
        slot = UInt32(truncatingIfNeeded: userData)
        generation = UInt32(truncatingIfNeeded: userData >> 32)
    }

    var userData: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}
