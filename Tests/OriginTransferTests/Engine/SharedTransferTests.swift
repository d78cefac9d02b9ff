import HTTPSemantics
import LinuxSystem
import Testing

@testable import OriginTransfer

/// Transfers that several clients wait for: in whose turn they start, and who is charged.
@Suite(.timeLimit(.minutes(1)))
struct SharedTransferTests {
    typealias Item = NamedTransfer
    typealias Lanes = ConnectionLanes<Item>

    private static let second: Int64 = 1_000_000_000
    private let key = Lanes.Key(source: "s", origin: "http://a")
    private let items = (0..<20).map { Item("A\($0)") }
    private let a = Claim("A", .normal)
    private let b = Claim("B", .normal)
    private let c = Claim("C", .normal)

    /// Lanes with two connections and ten transfers of a client, of which the first has the only connection for it.
    private func flooded(_ scheduling: TransferScheduling = TransferScheduling(), table: ClientAccounts? = nil) -> Lanes
    {
        var lanes = Lanes(scheduling, table: table)
        for item in items.prefix(10) { lanes.enqueue(item, key, limit: 2, account: "A") }
        #expect(lanes.next()?.name == "A0" && lanes.next() == nil)
        return lanes
    }

    private func release(_ account: String, _ lanes: inout Lanes, seconds: Int64 = 1) {
        lanes.release(key, account: account, multiplexed: false, nanoseconds: seconds * Self.second)
    }

    @Test func `a transfer that another client joins starts in that client's turn, and is charged to it`() {
        let table = ClientAccounts()
        var lanes = flooded(table: table)
        #expect(lanes.update(items[7], key, for: [a, b]) == .joined)
        #expect(lanes.waiting == 9 && table.use(of: "B").waitingDownloads == 1)
        let taken = lanes.start(at: 0)
        #expect(taken?.item === items[7] && taken?.account == "B")
        #expect(table.use(of: "B").downloads == 1 && table.use(of: "B").waitingDownloads == 0)
        #expect(table.use(of: "A").waitingDownloads == 8 && lanes.waiting == 8)
        // It waits nowhere else.
        release("A", &lanes)
        #expect(lanes.next()?.name == "A1")
        release("A", &lanes)
        release("B", &lanes, seconds: 3)
        lanes.enqueue(Item("B"), key, limit: 2, account: "B")
        #expect(lanes.next()?.name == "A2")
        #expect(lanes.next()?.name == "B")
    }

    @Test func `a transfer that another client joins keeps its place among its first client's`() {
        var lanes = flooded()
        for number in 0..<5 { lanes.enqueue(Item("B\(number)"), key, limit: 2, account: "B", priority: .high) }
        #expect(lanes.update(items[1], key, for: [a, Claim("B", .low)]) == .joined)
        #expect(lanes.next()?.name == "B0")
        release("A", &lanes)
        #expect(lanes.start(at: 0)?.account == "A")
        #expect(lanes.waiting == 8 + 4)
    }

    @Test func `a client that leaves has no turn, and the last one's transfer stays`() {
        var lanes = flooded()
        lanes.update(items[7], key, for: [a, b])
        #expect(lanes.update(items[7], key, for: [a]) == .adjusted)
        #expect(lanes.update(items[7], key, for: [a]) == nil)
        #expect(lanes.next() == nil && lanes.waiting == 9)
        lanes.update(items[7], key, for: [a, b])
        lanes.update(items[7], key, for: [b])
        let taken = lanes.start(at: 0)
        #expect(taken?.item === items[7] && taken?.account == "B")
        // One that is cancelled waits for nobody.
        lanes.update(items[8], key, for: [a, c])
        lanes.remove(items[8], key)
        lanes.remove(items[8], key)
        release("B", &lanes)
        #expect(lanes.next() == nil && lanes.waiting == 7)
    }

    @Test func `background work that a client joins is that client's, until it leaves`() {
        var lanes = Lanes(limit: 100)
        for item in items.prefix(3) { lanes.enqueue(item, key, limit: 2, account: nil, priority: .background) }
        #expect(lanes.next()?.name == "A0" && lanes.next() == nil && lanes.waitingUrgent == 0)
        #expect(lanes.update(items[2], key, for: [b], isLimited: true) == .joined)
        #expect(lanes.waitingUrgent == 1 && lanes.waiting == 2)
        #expect(lanes.update(items[2], key, for: [Claim(nil, .background)], isLimited: true) == .joined)
        #expect(lanes.waitingUrgent == 0 && lanes.waiting == 2 && lanes.next() == nil)
        lanes.update(items[2], key, for: [b, c], isLimited: true)
        #expect(lanes.start(at: 0)?.account == "B" && lanes.waiting == 1 && lanes.waitingUrgent == 0)
    }

    @Test func `what others have joined counts once in the expected wait of its client, and none joins too late`() {
        var lanes = Lanes(limit: 100)
        for item in items.prefix(10) { lanes.enqueue(item, key, limit: 2, account: "A") }
        for number in 0..<4 {
            #expect(lanes.next()?.name == "A\(number)")
            release("A", &lanes)
        }
        #expect(lanes.next()?.name == "A4")
        lanes.enqueue(Item("C"), key, limit: 2, account: "C")
        #expect(lanes.next()?.name == "C")
        // Five wait, and two connections take one second each.
        #expect(lanes.expectedWait(key, of: "A") == 3 * Self.second)
        for item in items[5..<10] { #expect(lanes.update(item, key, for: [a, b]) == .joined) }
        #expect(lanes.expectedWait(key, of: "A") == 3 * Self.second)
        #expect(lanes.expectedWait(key, of: "B") == 3 * Self.second)
        // One of either, and its own.
        #expect(lanes.expectedWait(key, of: "D") == Self.second)
        lanes.enqueue(items[10], key, limit: 2, account: "A")
        #expect(lanes.update(items[10], key, for: [a, b], isLimited: true) == nil)
        #expect(lanes.update(items[10], key, for: [a, c], isLimited: true) == .joined)
    }

    @Test func `a full queue drops transfers for which no small client waits`() {
        var lanes = flooded()
        lanes.setScheduling(TransferScheduling(waiting: 9))
        lanes.update(items[9], key, for: [a, b])
        // The newest is also the other client's, and only leaves the queue of the first.
        #expect(lanes.enqueue(Item("C"), key, limit: 2, account: "C")?.name == "A8")
        #expect(Set([lanes.start(at: 0)?.account, lanes.start(at: 0)?.account]) == ["B", nil])
        // With an accomplice, a client does not keep others out.
        var shared = flooded()
        shared.setScheduling(TransferScheduling(waiting: 9))
        for item in items[1..<10] { shared.update(item, key, for: [a, b]) }
        #expect(shared.enqueue(Item("C"), key, limit: 2, account: "C")?.name == "A9")
        #expect(shared.waiting == 9)
    }

    @Test func `a transfer that is refused for one client waits for another, and one is listed once`() {
        var lanes = flooded(TransferScheduling(waiting: 10))
        lanes.enqueue(Item("B"), key, limit: 2, account: "B")
        func enqueue(_ claims: [Claim]) -> Item? {
            lanes.enqueue(items[11], key, limit: 2, for: claims, since: 0, entered: 0, isAdmitted: false)
        }
        #expect(enqueue([a]) === items[11])
        #expect(enqueue([a, c])?.name == "A9")
        #expect(lanes.waiting == 10 && lanes.waiting { _ in true }.count == 10)
        #expect(lanes.next()?.name == "B")
        release("B", &lanes)
        let taken = lanes.start(at: 0)
        #expect(taken?.item === items[11] && taken?.account == "C")
    }
}
