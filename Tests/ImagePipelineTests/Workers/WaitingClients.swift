import HTTPSemantics
import LinuxSystem

/// The clients that wait for some work, as a test says.
final class WaitingClients: Sendable {
    private let list = Lock<[Claim]>([])

    var all: [Claim] {
        get { list.withLock { $0 } }
        set { list.withLock { $0 = newValue } }
    }

    var claims: SharedClaims { SharedClaims(of: { [self] in all.map { SharedClaims($0) } }) }
}
