import HTTPSemantics
import TestSupport
import Testing

@testable import OriginTransfer

/// Bodies that are decoded while they are received.
@Suite(.timeLimit(.minutes(1)))
struct BodyDecryptionTests {
    private let zero: CipherKey
    private let ones: CipherKey

    init() throws {
        zero = try #require(CipherKey(hexadecimal: String(repeating: "00", count: 32)))
        ones = try #require(CipherKey(hexadecimal: String(repeating: "01", count: 32)))
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Decodes in pieces of a length.
    private func decode(
        _ coded: [UInt8],
        _ decryption: BodyDecryption,
        by length: Int = 5,
        limit: Int = 1 << 20
    ) throws -> [UInt8] {
        let sink = try BodySink(limit: limit, decryption: decryption)
        for start in stride(from: 0, to: coded.count, by: length) {
            try unsafe Array(coded[start..<min(start + length, coded.count)]).withUnsafeBytes {
                try unsafe sink.append($0)
            }
        }
        #expect(sink.received == coded.count)
        let body = try sink.finish()
        let plain = try body.bytes()
        #expect(body.digest == SHA256Digest(hashing: plain))
        return plain
    }

    /// The test cases 13 and 14 of the specification of GCM (McGrew and Viega), with the wire format's order.
    @Test(arguments: [1, 12, 13, 16, 27, 100])
    func `decrypts AES-256-GCM in pieces of any length`(length: Int) throws {
        let gcm = BodyDecryption(.aes256GCM, key: zero, named: "k")
        let start = [UInt8](repeating: 0, count: 12)
        #expect(try decode(start + bytes("530f8afbc74536b9a963b4f1c4cb738b"), gcm, by: length) == [])
        let second = "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        #expect(try decode(start + bytes(second), gcm, by: length) == [UInt8](repeating: 0, count: 16))
    }

    /// The output of `openssl enc -aes-256-cbc`.
    @Test(arguments: [1, 15, 16, 17, 100])
    func `decrypts AES-256-CBC in pieces of any length`(length: Int) throws {
        let cbc = BodyDecryption(.aes256CBC, key: ones, named: "k")
        let coded = [UInt8](repeating: 2, count: 16) + bytes("a287c5ca43cc16eb03019bf970c8f668")
        #expect(try decode(coded, cbc, by: length) == Array("attack at dawn".utf8))
    }

    @Test func `decodes Base64 with line ends`() throws {
        #expect(try decode(Array("Zm9v\nYmFy\r\n".utf8), .base64, by: 3) == Array("foobar".utf8))
        #expect(throws: TransferError.self) { try decode(Array("<html>".utf8), .base64) }
        #expect(throws: TransferError.self) { try decode(Array("Zm9vY".utf8), .base64) }
    }

    @Test func `a changed bit, a cut, and another key are refused`() throws {
        let gcm = BodyDecryption(.aes256GCM, key: ones, named: "k")
        let sealed = try #require(ones.seal(Array("the picture".utf8)))
        #expect(try decode(sealed, gcm) == Array("the picture".utf8))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: TransferError.self) { try decode(changed, gcm) }
            #expect(throws: TransferError.self) { try decode(Array(sealed.prefix(index)), gcm) }
        }
        let other = BodyDecryption(.aes256GCM, key: zero, named: "k")
        #expect(throws: TransferError.self) { try decode(sealed, other) }
        let cbc = BodyDecryption(.aes256CBC, key: ones, named: "k")
        #expect(throws: TransferError.self) { try decode([UInt8](repeating: 2, count: 40), cbc) }
        #expect(throws: TransferError.self) { try decode([], cbc) }
        #expect(throws: TransferError.self) { try decode([], gcm) }
    }

    @Test func `the limit is that of the decoded body`() throws {
        let text = Array(repeating: Array("Zm9v".utf8), count: 100).flatMap(\.self)
        #expect(try decode(text, .base64, limit: 300).count == 300)
        #expect(throws: TransferError.tooLarge(limit: 299)) { try decode(text, .base64, limit: 299) }
        // Blanks yield nothing, and are bounded too.
        let blanks = [UInt8](repeating: 0x20, count: 5000)
        #expect(throws: TransferError.tooLarge(limit: 300)) { try decode(blanks, .base64, limit: 300) }
    }

    @Test func `a key shows nothing of itself`() {
        #expect("\(ones)" == "[redacted]" && String(reflecting: ones) == "[redacted]")
        #expect(!ones.fingerprint.contains("0101") && ones.fingerprint != zero.fingerprint)
        for text in ["", "00", String(repeating: "0", count: 63), String(repeating: "g", count: 64)] {
            #expect(CipherKey(hexadecimal: text) == nil)
        }
    }

    @Test func `sealing is reversible, and equal texts have equal ciphertexts`() throws {
        let url = Array("https://img.example.com/a.png?b=c".utf8)
        let sealed = try #require(ones.seal(url))
        #expect(ones.seal(url) == sealed && ones.seal(url + [0x31]) != sealed)
        #expect(ones.open(sealed) == url && zero.open(sealed) == nil)
        #expect(ones.open(Array(sealed.dropLast())) == nil && ones.open([]) == nil)
    }
}
