import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", .tcp(host: "127.0.0.1", port: 8080)), ("[::1]:0", .tcp(host: "::1", port: 0)),
            (":80", .tcp(host: "", port: 80)), ("localhost:65535", .tcp(host: "localhost", port: 65535)),
            ("unix:/run/edgeprint.sock", .unix(path: "/run/edgeprint.sock")),
        ] as [(String, ListenAddress)]
    )
    func `parses an address and writes it back`(_ text: String, _ address: ListenAddress) {
        #expect(ListenAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "8080", "host", "host:", "host:65536", "host:-1", "host:+1", "::1:80", "[1.2.3.4]:80", "unix:", "unix:a",
        "unix:/" + String(repeating: "a", count: 107),
    ])
    func `rejects invalid addresses`(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
