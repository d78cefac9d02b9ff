import Glibc
import HTTPSemantics
import OriginTransfer
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AddressPolicyTests {
    /// The first and last address of each range, and their neighbours: the address, and its rule or "-" if allowed.
    static let ipv4: [(String, String)] = rows(
        """
        0.0.0.0 unspecified, 0.0.0.1 this-network, 0.255.255.255 this-network, 1.0.0.0 -, 1.1.1.1 -, 8.8.8.8 -
        9.255.255.255 -, 10.0.0.0 private, 10.1.2.3 private, 10.255.255.255 private, 11.0.0.0 -
        100.63.255.255 -, 100.64.0.0 cgnat, 100.100.100.200 cgnat, 100.127.255.255 cgnat, 100.128.0.0 -
        126.255.255.255 -, 127.0.0.0 loopback, 127.0.0.1 loopback, 127.1.2.3 loopback, 127.255.255.255 loopback
        128.0.0.0 -, 168.63.129.15 -, 168.63.129.16 cloud-metadata, 168.63.129.17 -
        169.253.255.255 -, 169.254.0.0 link-local, 169.254.169.254 link-local, 169.254.255.255 link-local, 169.255.0.0 -
        172.15.255.255 -, 172.16.0.0 private, 172.17.0.1 private, 172.31.255.255 private, 172.32.0.0 -
        191.255.255.255 -, 192.0.0.0 reserved, 192.0.0.170 reserved, 192.0.0.255 reserved, 192.0.1.0 -, 192.0.1.255 -
        192.0.2.0 documentation, 192.0.2.255 documentation, 192.0.3.0 -
        192.88.98.255 -, 192.88.99.0 6to4, 192.88.99.255 6to4, 192.88.100.0 -
        192.167.255.255 -, 192.168.0.0 private, 192.168.1.1 private, 192.168.255.255 private, 192.169.0.0 -
        198.17.255.255 -, 198.18.0.0 benchmarking, 198.19.255.255 benchmarking, 198.20.0.0 -
        198.51.99.255 -, 198.51.100.0 documentation, 198.51.100.255 documentation, 198.51.101.0 -
        203.0.112.255 -, 203.0.113.0 documentation, 203.0.113.255 documentation, 203.0.114.0 -
        223.255.255.255 -, 224.0.0.0 multicast, 224.0.0.251 multicast, 233.252.0.1 multicast, 239.255.255.255 multicast
        240.0.0.0 reserved, 250.1.2.3 reserved, 255.255.255.254 reserved, 255.255.255.255 broadcast
        """
    )

    static let ipv6: [(String, String)] = rows(
        """
        :: unspecified, ::1 loopback, ::2 ipv4-compatible/this-network, 0:0:0:0:0:0:0:1 loopback
        ::ffff:0:0 ipv4-mapped/unspecified, ::ffff:7f00:1 ipv4-mapped/loopback, ::ffff:8.8.8.8 -
        ::fffe:8.8.8.8 reserved, ::1:0:0:0 reserved, 0:1:: reserved, 1:: reserved
        64:ff9a:ffff:: reserved, 64:ff9b::1.1.1.1 -, 64:ff9b::a9fe:a9fe nat64/link-local, 64:ff9b:0:0:0:1:: reserved
        64:ff9b:1:: nat64/unspecified, 64:ff9b:1:ffff:ffff:ffff:808:808 nat64, 64:ff9b:2:: reserved
        ff:: reserved, 100:: discard, 100::ffff:ffff:ffff:ffff discard, 100:0:0:1:: reserved, 200:: reserved
        400:: reserved, 800:: reserved, 1000:: reserved, 1fff:ffff:: reserved
        2000:: -, 2000:ffff:: -, 2001:: teredo/broadcast, 2001:0:ffff:ffff:ffff:ffff:f7f7:f7f7 teredo
        2001:1:: reserved, 2001:1::1 reserved, 2001:2:: benchmarking, 2001:2:0:ffff:: benchmarking, 2001:2:1:: reserved
        2001:3:: reserved, 2001:4:112:: reserved, 2001:f:: reserved, 2001:10:: orchid, 2001:1f:ffff:: orchid
        2001:20:: orchid, 2001:2f:ffff:: orchid, 2001:30:: reserved, 2001:1ff:ffff:: reserved, 2001:200:: -
        2001:4860:4860::8888 -, 2001:db7:ffff:: -, 2001:db8:: documentation, 2001:db8:ffff::1 documentation
        2001:db9:: -, 2002::  6to4/unspecified, 2002:808:808:: 6to4, 2002:7f00:1:: 6to4/loopback
        2002:ffff:ffff:ffff:: 6to4/broadcast, 2003:: -, 2400:cb00:: -, 2606:4700:4700::1111 -, 2620:4f:8000::1 -
        2a00:1450:4001:800::200e -, 2a00::5efe:7f00:1 isatap/loopback, 2a00::200:5efe:a00:1 isatap/private
        2a00::5efe:808:808 -, 2a00::100:5efe:7f00:1 -, 3ffe:: -, 3fff:: documentation, 3fff:fff:ffff:: documentation
        3fff:1000:: -, 3fff:ffff:: -, 4000:: reserved, 5f00:: reserved, 8000:: reserved, e000:: reserved
        f000:: reserved, f800:: reserved, fbff:ffff:: reserved
        fc00:: unique-local, fd00:ec2::254 unique-local, fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff unique-local
        fe00:: reserved, fe7f:ffff:: reserved, fe80:: link-local, fe80::1 link-local, febf:ffff:: link-local
        fec0:: site-local, feff:ffff:: site-local, ff00:: multicast, ff02::1 multicast
        ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff multicast
        """
    )

    private static func rows(_ text: String) -> [(String, String)] {
        text.split { $0 == "," || $0 == "\n" }.compactMap { entry in
            let parts = entry.split(separator: " ")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    private func verdict(_ text: String) throws -> String {
        let address = try #require(IPAddress(text), "\(text)")
        return AddressPolicy.refusal(of: address)?.name ?? "-"
    }

    @Test(arguments: ipv4)
    func `decides IPv4 addresses by range`(_ address: String, _ rule: String) throws {
        #expect(try verdict(address) == rule)
    }

    @Test(arguments: ipv6)
    func `decides IPv6 addresses by range`(_ address: String, _ rule: String) throws {
        #expect(try verdict(address) == rule)
    }

    @Test(arguments: ipv4)
    func `decides forms in use by the IPv4 address that they embed`(_ address: String, _ rule: String) throws {
        for (prefix, form) in [("::ffff:", "ipv4-mapped"), ("64:ff9b::", "nat64"), ("2a00:1::5efe:", "isatap")] {
            #expect(try verdict(prefix + address) == (rule == "-" ? "-" : "\(form)/\(rule)"), "\(prefix)\(address)")
        }
    }

    @Test(arguments: ipv4)
    func `refuses deprecated forms, whatever they embed`(_ address: String, _ rule: String) throws {
        let suffix = rule == "-" ? "" : "/\(rule)"
        #expect(try verdict("::ffff:0:" + address) == "ipv4-translated" + suffix)
        #expect(try verdict("64:ff9b:1::" + address) == "nat64" + suffix)
        if !address.hasPrefix("0.0.0.") { #expect(try verdict("::" + address) == "ipv4-compatible" + suffix) }
        guard case .v4(let bits) = try #require(IPAddress(address)) else { return }
        let (high, low) = (String(bits >> 16, radix: 16), String(bits & 0xFFFF, radix: 16))
        #expect(try verdict("2002:\(high):\(low)::1") == "6to4" + suffix)
        let (upper, lower) = (String(~bits >> 16, radix: 16), String(~bits & 0xFFFF, radix: 16))
        #expect(try verdict("2001:0:4136:e378:8000:63bf:\(upper):\(lower)") == "teredo" + suffix)
    }

    @Test func `has more than 70 IPv4 and 80 IPv6 cases`() {
        #expect(Self.ipv4.count > 70)
        #expect(Self.ipv6.count > 80)
    }

    @Test func `reads addresses from socket addresses`() {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        unsafe withUnsafeBytes(of: &four) {
            #expect(unsafe IPAddress(socketAddress: $0) == .v4(0x7F00_0001))
            #expect(unsafe IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.prefix(15))) == nil)
            #expect(unsafe IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.prefix(1))) == nil)
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_addr = in6addr_loopback
        unsafe withUnsafeBytes(of: &six) {
            #expect(unsafe IPAddress(socketAddress: $0) == .v6(high: 0, low: 1))
            #expect(unsafe IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.prefix(27))) == nil)
        }
        var local = sockaddr()
        local.sa_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeBytes(of: &local) { #expect(unsafe IPAddress(socketAddress: $0) == nil) }
    }

    @Test(arguments: ["127.1", "0x7f.0.0.1", "2130706433", "[::1]", "fe80::1%lo", "1.2.3.4.5", "", "::g"])
    func `reads only canonical spellings as addresses`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
