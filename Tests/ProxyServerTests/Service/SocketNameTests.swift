import HTTPKit
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SocketNameTests {
    @Test(arguments: [":8080", "127.0.0.1:0", "[::1]:8081", "localhost:80", "unix:/run/edgeprint/a b.sock"])
    func `a name contains the address as configured`(text: String) throws {
        let address = try #require(ListenAddress(text))
        for listener in SocketName.Listener.allCases {
            let name = SocketName(listener, address)
            #expect(SocketName(name.text) == name)
            #expect(name.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") })
            #expect(name.text.utf8.count <= 255)
        }
    }

    @Test(arguments: [
        "", "public", "admin", "edgeprint-public", "edgeprint-public-", "edgeprint-public-3", "edgeprint-public-zz",
        "edgeprint-other-3a38303830", "edgeprint-public-3a38303830-1", "edgeprint-public-41",
    ])
    func `other names are those of socket units`(text: String) { #expect(SocketName(text) == nil) }
}
