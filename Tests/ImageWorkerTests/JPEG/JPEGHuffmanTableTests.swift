import Foundation
import Testing

@testable import ImageWorker

struct JPEGHuffmanTableTests {
    /// The lengths of all codes by symbol.
    private static func lengths(_ table: JPEGHuffmanTable) -> [Int] { table.codes.map { Int($0 & 0xFF) } }

    /// Few, equal and very unequal frequencies; Fibonacci numbers give the longest codes, without a limit of 29 bits.
    private static let cases: [[Int]] = {
        var fibonacci = [1, 1]
        for index in 0..<28 { fibonacci.append(fibonacci[index] + fibonacci[index + 1]) }
        let squares = (0..<256).map { index in index * index + 1 }
        return [[1], [5, 1], [1, 1, 1, 1], [1000, 1, 1], [Int](repeating: 7, count: 40), squares, fibonacci]
    }()

    @Test(arguments: cases)
    func `codes are prefix-free, of 16 bits at most, and none is of ones only`(frequencies: [Int]) {
        let counts = frequencies + [Int](repeating: 0, count: 256 - frequencies.count)
        let table = JPEGHuffmanTable(counts: counts)
        let codes = table.codes.filter { $0 != 0 }.map { (bits: $0 >> 8, length: Int($0 & 0xFF)) }
        #expect(codes.count == frequencies.count)
        #expect(table.symbols.count == frequencies.count)
        for (index, code) in codes.enumerated() {
            #expect((1...16).contains(code.length))
            #expect(code.bits != 1 << UInt32(code.length) - 1)
            for other in codes[(index + 1)...] {
                let shorter = min(code.length, other.length)
                #expect(code.bits >> UInt32(code.length - shorter) != other.bits >> UInt32(other.length - shorter))
            }
        }
    }

    @Test func `codes are within a bit of the entropy`() {
        let counts = (0..<256).map { 1_000_000 / (($0 + 1) * ($0 + 2)) }
        let total = Double(counts.reduce(0, +))
        let entropy = counts.reduce(0.0) { $1 == 0 ? $0 : $0 - Double($1) * log2(Double($1) / total) }
        let bits = Double(JPEGHuffmanTable(counts: counts).bits(of: counts))
        #expect(bits >= entropy)
        #expect(bits < entropy + total * 0.1)
    }

    @Test func `frequent symbols have codes no longer than rare ones`() {
        let counts = (0..<256).map { ($0 * 7919) % 257 }
        let lengths = Self.lengths(JPEGHuffmanTable(counts: counts))
        for (left, right) in zip(0..<255, 1...255) where counts[left] > 0 && counts[right] > 0 {
            #expect((counts[left] - counts[right]) * (lengths[left] - lengths[right]) <= 0)
        }
    }

    @Test func `the stated table has a count for each length, and all symbols`() {
        var counts = [Int](repeating: 0, count: 256)
        (counts[3], counts[200]) = (10, 1)
        #expect(JPEGHuffmanTable(counts: counts).stated == [1, 1] + [UInt8](repeating: 0, count: 14) + [3, 200])
        #expect(JPEGHuffmanTable(counts: [Int](repeating: 0, count: 256)).symbols.isEmpty)
    }
}
