import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1)))
struct NodeTableTests {
    private let time = ManualTime()

    private func table(
        _ texts: [String],
        own: String? = nil,
        lookup: NameLookup = NameLookup(addresses: { _ in nil }, isOwn: { _ in false })
    ) -> NodeTable {
        NodeTable(
            texts.compactMap { NodeEntry($0) },
            own: own.flatMap { NodeAddress($0) },
            ports: [8080],
            lookup: lookup,
            time: time
        )
    }

    /// A key that a node owns.
    private func key(of node: String, in table: NodeTable) throws -> UInt64 {
        let placement = Placement(table.statuses.map(\.node.description))
        return try #require((0..<10_000).first { placement.owner(of: $0).map { placement.names[$0] } == node })
    }

    @Test func `a node asks the owner, and answers for its own keys itself`() throws {
        let table = table(["10.0.0.1:8080", "10.0.0.2:8080"], own: "10.0.0.1:8080")
        #expect(table.owner(of: try key(of: "10.0.0.1:8080", in: table)) == nil)
        #expect(table.owner(of: try key(of: "10.0.0.2:8080", in: table))?.node.host == "10.0.0.2")
        #expect(table.statuses.map(\.isOwn) == [true, false])
    }

    @Test func `a node finds itself by its address and port`() throws {
        let mine = IPAddress("10.0.0.2")
        let lookup = NameLookup(addresses: { _ in nil }, isOwn: { $0 == mine })
        #expect(table(["10.0.0.1:8080", "10.0.0.2:8080"], lookup: lookup).own?.host == "10.0.0.2")
        #expect(table(["10.0.0.1:8080", "10.0.0.2:9090"], lookup: lookup).own == nil)
        let other = try #require(NodeAddress("10.0.0.1:8080"))
        #expect(table(["10.0.0.1:8080", "10.0.0.2:8080"], lookup: lookup).ownAddress(toward: other) == mine)
        // Two on one machine with the same port cannot be told apart.
        let all = NameLookup(addresses: { _ in nil }, isOwn: { _ in true })
        #expect(table(["10.0.0.1:8080", "10.0.0.2:8080"], lookup: all).own == nil)
        // Behind an address translation.
        #expect(table(["10.0.0.1:8080"], own: "10.0.0.1:8080").ownAddress(toward: other) == nil)
        // A connection cannot start at an address of another family.
        let six = try #require(NodeAddress("[2001:db8::1]:8080"))
        #expect(table([six.description, "10.0.0.2:8080"], lookup: lookup).ownAddress(toward: six) == nil)
    }

    @Test func `names are looked up again, and a failed look-up changes nothing`() throws {
        let found = Lock<[IPAddress]?>([IPAddress("10.0.0.1"), IPAddress("10.0.0.2")].compactMap(\.self))
        let lookup = NameLookup(addresses: { _ in found.withLock { $0 } }, isOwn: { $0 == IPAddress("10.0.0.1") })
        let table = table(["dns:edge.example:8080"], lookup: lookup)
        #expect(table.statuses.isEmpty && table.owner(of: 1) == nil)
        table.refresh()
        #expect(table.statuses.map(\.node.description) == ["10.0.0.1:8080", "10.0.0.2:8080"])
        #expect(table.own?.host == "10.0.0.1")
        found.withLock { $0 = nil }
        table.refresh()
        found.withLock { $0 = [] }
        table.refresh()
        #expect(table.statuses.count == 2)
        found.withLock { $0 = [IPAddress("10.0.0.1"), IPAddress("10.0.0.3")].compactMap(\.self) }
        table.refresh()
        #expect(table.statuses.map(\.node.host) == ["10.0.0.1", "10.0.0.3"])
        #expect(table.isNode(try #require(IPAddress("10.0.0.3"))))
        #expect(!table.isNode(try #require(IPAddress("10.0.0.2"))))
    }

    @Test func `a machine with addresses of both families is one node, and known by each`() throws {
        let addresses = ["10.0.0.1", "2001:db8::1", "10.0.0.2", "2001:db8::2"].compactMap { IPAddress($0) }
        let own = addresses[..<2]
        let lookup = NameLookup(addresses: { _ in addresses }, isOwn: { own.contains($0) })
        let table = table(["dns:edge.example:8080"], lookup: lookup)
        table.refresh()
        #expect(table.statuses.map(\.node.host) == ["10.0.0.1", "10.0.0.2"])
        #expect(table.own?.host == "10.0.0.1")
        for address in addresses { #expect(table.isNode(address)) }
    }

    @Test func `other threads use the table while the system is asked for its addresses`() throws {
        let address = try #require(IPAddress("10.0.0.1"))
        let used = Lock<NodeTable?>(nil)
        let lookup = NameLookup(
            addresses: { _ in [address] },
            isOwn: { address in
                let table = used.withLock { $0 }
                let isAnswered = Signal(false)
                let isStarted: Void? = try? SystemThread.start(name: "uses") {
                    isAnswered.update { $0 = table?.owns(1) == true && table?.isNode(address) == false }
                }
                return isStarted != nil && (try? isAnswered.wait { $0 }) != nil
            }
        )
        let table = table(["dns:edge.example:8080"], lookup: lookup)
        used.withLock { $0 = table }
        table.refresh()
        #expect(table.own?.host == "10.0.0.1" && table.isNode(address))
        used.withLock { $0 = nil }
    }

    @Test func `a thread looks names up, and tells once when a name lists this node`() throws {
        let asked = Signal(0)
        let address = try #require(IPAddress("10.0.0.1"))
        let lookup = NameLookup(
            addresses: { _ in
                asked.update { $0 += 1 }
                return asked.value > 2 ? [address] : nil
            },
            isOwn: { $0 == address }
        )
        let entry = try #require(NodeEntry("edge.example:8080"))
        let table = NodeTable([entry], ports: [8080], lookup: lookup, interval: 1, time: time)
        let told = Signal(0)
        try table.start { table in
            #expect(table.own != nil)
            told.update { $0 += 1 }
        }
        try asked.wait { $0 > 5 }
        table.stop()
        #expect(told.value == 1)
    }

    @Test func `a node that is in no list is reported after six look-ups`() throws {
        let asked = Signal(0)
        let lookup = NameLookup(
            addresses: { _ in
                asked.update { $0 += 1 }
                return nil
            },
            isOwn: { _ in false }
        )
        let entry = try #require(NodeEntry("edge.example:8080"))
        let table = NodeTable([entry], ports: [8080], lookup: lookup, interval: 1, time: time)
        let told = Signal<Int?>(nil)
        try table.start { table in
            #expect(table.own == nil)
            told.update { $0 = asked.value }
        }
        try told.wait { $0 != nil }
        table.stop()
        #expect(told.value == 6)
    }

    @Test func `after three failures in succession the next node in rank owns the keys`() throws {
        let table = table(["10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080"], own: "10.0.0.1:8080")
        let key = try key(of: "10.0.0.2:8080", in: table)
        for hasAnswered in [false, false, true, false, false, false] {
            let contact = try #require(table.owner(of: key))
            #expect(contact.node.host == "10.0.0.2")
            table.ended(contact, hasAnswered: hasAnswered)
        }
        #expect(table.statuses.map(\.isLeftOut) == [false, true, false])
        #expect(table.owner(of: key)?.node.host != "10.0.0.2")
    }

    @Test func `one request probes a node that was left out; each failure doubles the pause`() throws {
        let table = table(["10.0.0.1:8080", "10.0.0.2:8080"], own: "10.0.0.1:8080")
        let key = try key(of: "10.0.0.2:8080", in: table)
        /// Asks the node, which the table must permit.
        func ask() throws -> NodeTable.Contact { try #require(table.owner(of: key)) }
        let late = try [ask(), ask()]
        for _ in 1...3 { table.ended(try ask(), hasAnswered: false) }
        // Late ends of requests that were sent before neither prolong the pause nor end a probe.
        table.ended(late[0], hasAnswered: false)
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            time.advance(seconds: Int64(seconds) - 1)
            #expect(table.owner(of: key) == nil)
            time.advance(seconds: 1)
            let probe = try ask()
            table.ended(late[0], hasAnswered: nil)
            table.ended(late[1], hasAnswered: false)
            #expect(table.owner(of: key) == nil)
            table.ended(probe, hasAnswered: false)
        }
        time.advance(seconds: 30)
        // A probe that says nothing is followed by another one.
        table.ended(try ask(), hasAnswered: nil)
        table.ended(try ask(), hasAnswered: true)
        #expect(table.statuses.allSatisfy { !$0.isLeftOut })
        #expect(try ask().node.host == "10.0.0.2" && ask().node.host == "10.0.0.2")
    }

    @Test func `a node stays left out when names are looked up, also if its requests fail meanwhile`() throws {
        let found = Lock(["10.0.0.1", "10.0.0.2"])
        let meanwhile = Lock<(table: NodeTable, contacts: [NodeTable.Contact])?>(nil)
        let lookup = NameLookup(
            addresses: { _ in found.withLock { $0 }.compactMap { IPAddress($0) } },
            isOwn: { _ in
                let ending = meanwhile.withLock { $0.take() }
                for contact in ending?.contacts ?? [] { ending?.table.ended(contact, hasAnswered: false) }
                return true
            }
        )
        let table = table(["dns:edge.example:8080"], own: "10.0.0.1:8080", lookup: lookup)
        table.refresh()
        let key = try key(of: "10.0.0.2:8080", in: table)
        let contacts = try (1...3).map { _ in try #require(table.owner(of: key)) }
        meanwhile.withLock { $0 = (table, contacts) }
        found.withLock { $0.append("10.0.0.3") }
        table.refresh()
        let isPending = meanwhile.withLock { $0 != nil }
        #expect(!isPending && table.statuses.map(\.isLeftOut) == [false, true, false])
        // Also when the addresses are the same, and when others go.
        table.refresh()
        #expect(table.statuses.map(\.isLeftOut) == [false, true, false])
        found.withLock { $0 = ["10.0.0.1", "10.0.0.2"] }
        table.refresh()
        #expect(table.statuses.map(\.isLeftOut) == [false, true] && table.owner(of: key) == nil)
        // A node that comes back begins anew.
        found.withLock { $0 = ["10.0.0.1"] }
        table.refresh()
        found.withLock { $0 = ["10.0.0.1", "10.0.0.2"] }
        table.refresh()
        #expect(table.statuses.map(\.isLeftOut) == [false, false])
    }
}
