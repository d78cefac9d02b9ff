/// The bytes of incomplete bodies, against their bound.
///
/// Confined to the transfer thread.
final class TransferBudget {
    private(set) var used = 0
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func take(_ bytes: Int) -> Bool {
        guard bytes <= limit - used else { return false }
        used += bytes
        return true
    }

    func give(back bytes: Int) {
        used -= bytes
    }
}
