import CLinux
import LinuxSystem

/// A network of its own (network_namespaces(7)), of which the calling thread and those that it starts afterwards are part.
///
/// A thread cannot leave it: use one that ends with the test.
package struct PrivateNetwork: Sendable {
    /// Whether this process may make one.
    package static let isPossible: Bool = {
        let result = Signal<Bool?>(nil)
        do {
            try SystemThread.start(name: "network") {
                let isPossible = (try? PrivateNetwork()) != nil
                result.update { $0 = isPossible }
            }
            return try result.wait { $0 != nil } == true
        } catch {
            return false
        }
    }()

    /// Makes a network with a loopback interface.
    ///
    /// - Throws: `Errno` where the kernel, or the user, may not make one.
    package init() throws {
        let error = edge_enter_namespace(CInt(edge_namespace_network))
        guard error == 0 else { throw Errno(error, "unshare") }
        try setLoopback(isUp: true)
    }
}
