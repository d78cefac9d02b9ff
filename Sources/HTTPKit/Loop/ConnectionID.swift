/// A connection's slot in its loop, and which of the slot's connections it is.
///
/// Also epoll's user data: an event or an answer for a connection that is closed, and whose slot is taken again, does
/// not match and is dropped.
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
