import HTTPSemantics
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1)))
struct NodeAddressTests {
    @Test(arguments: ["10.0.0.1:8080", "edge-1.example:80", "[2001:db8::1]:8080", "localhost:1"])
    func `reads a host and a port`(text: String) throws {
        #expect(try #require(NodeAddress(text)).description == text)
        #expect(NodeEntry(text)?.description == text)
    }

    @Test(
        arguments: [
            "", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:70000", ":8080", "a b:80", "user@host:80", "host:80/x",
            "010.0.0.1:80", "127.1:80", "[2001:db8:0::1]:8080", "http://host:80", "host:080", "host:80?x",
        ]
    )
    func `refuses other texts, and other spellings of an address`(text: String) {
        #expect(NodeAddress(text) == nil)
    }

    @Test func `reads a name whose addresses are nodes`() throws {
        #expect(NodeEntry("dns:edge.example:8080") == .name(try #require(NodeAddress("edge.example:8080"))))
        #expect(NodeEntry("dns:edge.example:8080")?.description == "dns:edge.example:8080")
        #expect(NodeEntry("dns:10.0.0.1:8080") == nil)
        #expect(NodeEntry("dns:edge.example") == nil)
    }

    @Test func `host names are in lower case`() {
        #expect(NodeAddress("Edge.Example:80")?.host == "edge.example")
    }

    @Test func `the system knows its own addresses, and an address is its own name`() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(NameLookup.system.isOwn(loopback))
        #expect(!NameLookup.system.isOwn(try #require(IPAddress("192.0.2.1"))))
        #expect(NameLookup.system.addresses("127.0.0.1") == [loopback])
    }
}
