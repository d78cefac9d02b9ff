import HTTPKit
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct AddressRangeTests {
    private func ipv4(_ address: UInt32) -> PeerAddress {
        PeerAddress(family: .ipv4, port: 1, high: 0, low: UInt64(address))
    }

    @Test func `contains the addresses of its prefix`() throws {
        let range = try #require(AddressRange("10.0.0.0/8"))
        #expect(range.contains(ipv4(0x0A00_0000)) && range.contains(ipv4(0x0AFF_FFFF)))
        #expect(!range.contains(ipv4(0x0B00_0000)) && !range.contains(.unix))
        let one = try #require(AddressRange("127.0.0.1"))
        #expect(one.contains(ipv4(0x7F00_0001)) && !one.contains(ipv4(0x7F00_0002)))
        let all = try #require(AddressRange("0.0.0.0/0"))
        #expect(all.contains(ipv4(0)) && all.contains(ipv4(.max)))
        #expect(!all.contains(PeerAddress(family: .ipv6, port: 1, high: 0, low: 1)))
    }

    @Test(arguments: [("2001:db8::/32", true), ("2001:db9::/32", false), ("2001:db8:0:1::/64", false), ("::/0", true)])
    func `contains IPv6 addresses`(text: String, isIn: Bool) throws {
        let peer = PeerAddress(family: .ipv6, port: 1, high: 0x2001_0DB8_0000_0000, low: 7)
        #expect(try #require(AddressRange(text)).contains(peer) == isIn)
    }

    @Test func `contains Unix-domain sockets only as unix`() throws {
        let range = try #require(AddressRange("unix"))
        #expect(range.contains(.unix) && !range.contains(ipv4(0)))
    }

    @Test(arguments: ["", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "::1/129", "::1/64", "a", "10.0.0/8", "1.2.3.4/+8"])
    func `refuses invalid ranges`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
