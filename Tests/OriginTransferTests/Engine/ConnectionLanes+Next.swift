@testable import OriginTransfer

extension ConnectionLanes {
    /// Starts the next transfer that may.
    mutating func next(at now: Int64 = 0) -> Item? { start(at: now)?.item }
}

/// A transfer that is only told apart.
final class NamedTransfer {
    let name: String
    init(_ name: String) { self.name = name }
}
