import TestSupport
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1)))
struct PlacementTests {
    private static let count = 1_000_000
    private let three = Placement(["10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080"])

    /// Keys as uniform as digests are.
    private static let keys: [UInt64] = {
        var generator = SeededGenerator(seed: 18)
        return (0..<count).map { _ in generator.next() }
    }()

    @Test func `the keys are spread evenly, and a fourth node takes its share from all others`() {
        let four = Placement(three.names + ["10.0.0.4:8080"])
        var (before, after, moved, strays) = ([0, 0, 0], [0, 0, 0, 0], 0, 0)
        for key in Self.keys {
            guard let old = three.owner(of: key), let new = four.owner(of: key) else { continue }
            before[old] += 1
            after[new] += 1
            guard three.names[old] != four.names[new] else { continue }
            moved += 1
            if four.names[new] != "10.0.0.4:8080" { strays += 1 }
        }
        #expect(before.allSatisfy { abs($0 * 3 - Self.count) < Self.count / 50 })
        #expect(after.allSatisfy { abs($0 * 4 - Self.count) < Self.count / 50 })
        #expect(moved * 100 <= Self.count * 27)
        #expect(strays == 0)
    }

    @Test func `a node that leaves moves its own keys only, to those that rank next`() {
        let two = Placement(["10.0.0.1:8080", "10.0.0.3:8080"])
        for key in Self.keys.prefix(100_000) {
            let old = three.owner(of: key).map { three.names[$0] }
            let new = two.owner(of: key).map { two.names[$0] }
            if old != "10.0.0.2:8080" { #expect(new == old) }
            // Leaving a node out has the same effect as removing it.
            #expect(three.owner(of: key) { three.names[$0] != "10.0.0.2:8080" }.map { three.names[$0] } == new)
        }
    }

    @Test func `the order of the list and repetitions make no difference`() {
        let other = Placement(["10.0.0.3:8080", "10.0.0.1:8080", "10.0.0.3:8080", "10.0.0.2:8080"])
        #expect(other == three)
        #expect(Placement([]).owner(of: 1) == nil)
        #expect(three.owner(of: 1) { _ in false } == nil)
    }

    @Test func `placements are the same in every release`() {
        let owners = (0..<8).map { three.owner(of: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        #expect(owners == [2, 2, 1, 2, 0, 1, 2, 2])
    }
}
