import LinuxSystem
import Testing

@testable import HTTPKit

@Suite(.timeLimit(.minutes(1))) struct ResponseEncoderTests {
    private func encode(
        _ response: Response,
        _ options: ResponseEncoder.Options = .init()
    ) -> (text: String, sendsBody: Bool) {
        var buffer: [UInt8] = []
        let sendsBody = ResponseEncoder().encode(
            response,
            options,
            date: Array("Date: D\r\n".utf8),
            into: &buffer
        )
        return (String(decoding: buffer, as: UTF8.self), sendsBody)
    }

    @Test func `writes status, date, length, age and both blocks`() {
        let response = Response(
            status: 200,
            fields: FieldBlock(["ETag": "\"a\""]).bytes,
            dynamicFields: FieldBlock(["Cache-Status": "edgeprint; hit"]).bytes,
            age: 17,
            body: .bytes(Array("hello".utf8), 1..<4)
        )
        let (text, sendsBody) = encode(response)
        let expected =
            "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 3\r\nAge: 17\r\nETag: \"a\"\r\nCache-Status: edgeprint; hit\r\n\r\n"
        #expect(text == expected)
        #expect(sendsBody)
    }

    @Test func `keeps the length but not the body for HEAD`() {
        let (text, sendsBody) = encode(
            Response(status: 200, body: .bytes([1, 2, 3])),
            .init(isHEAD: true, minorVersion: 1, keepsAlive: true)
        )
        #expect(text.contains("Content-Length: 3\r\n"))
        #expect(!sendsBody)
        let override = encode(
            Response(status: 200, contentLength: 99),
            .init(isHEAD: true, minorVersion: 1, keepsAlive: true)
        )
        #expect(override.text.contains("Content-Length: 99\r\n"))
    }

    @Test(arguments: [UInt16(204), 304])
    func `writes neither body nor length for bodiless statuses`(_ status: UInt16) {
        let (text, sendsBody) = encode(Response(status: status, body: .bytes([1, 2, 3])))
        #expect(!text.contains("Content-Length"))
        #expect(!sendsBody)
    }

    @Test func `writes the given length in a 304`() {
        #expect(encode(Response(status: 304, contentLength: 7)).text.contains("Content-Length: 7\r\n"))
        #expect(!encode(Response(status: 204, contentLength: 7)).text.contains("Content-Length"))
    }

    @Test(
        arguments: [(1, true, ""), (1, false, "close"), (0, true, "keep-alive"), (0, false, "close")]
            as [(UInt8, Bool, String)]
    )
    func `writes Connection where needed`(_ version: UInt8, _ keeps: Bool, _ expected: String) {
        let (text, _) = encode(Response(status: 200), .init(isHEAD: false, minorVersion: version, keepsAlive: keeps))
        #expect(text.contains("Connection: ") == !expected.isEmpty)
        #expect(expected.isEmpty || text.contains("Connection: \(expected)\r\n"))
    }

    @Test func `writes large and odd numbers`() {
        #expect(
            encode(Response(status: 200, contentLength: .max)).text.contains("Content-Length: 9223372036854775807\r\n")
        )
        #expect(encode(Response(status: 200, age: -5)).text.contains("Age: 0\r\n"))
        #expect(encode(Response(status: 799)).text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(encode(Response(status: 299)).text.hasPrefix("HTTP/1.1 299 \r\n"))
    }

    @Test func `a block accepts only fields that cannot inject others`() {
        let encoded = { (name: String, value: String) in
            var block = FieldBlock()
            return block.append(name, value) ? String(decoding: block.bytes, as: UTF8.self) : nil
        }
        #expect(encoded("X", " a\tb ") == "X: a\tb\r\n")
        #expect(encoded("X", " ") == "X: \r\n")
        for value in ["a\r\nB: c", "a\nb", "a\rb", "a\0b", "a\u{7f}"] { #expect(encoded("X", value) == nil) }
        for name in ["", "X Y", "X:", "X\r\n", "\u{e4}"] { #expect(encoded(name, "v") == nil) }
        for name in ["Content-Length", "connection", "TRANSFER-ENCODING", "Date"] { #expect(encoded(name, "1") == nil) }
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func `writes dates in the form of RFC 9110`(_ second: Int64, _ expected: String) {
        var date = DateText()
        date.update(to: second)
        #expect(String(decoding: date.line, as: UTF8.self) == "Date: \(expected)\r\n")
    }

    @Test func `finds every known field in any case, and no other`() {
        let table = KnownFieldTable()
        for field in KnownField.allCases {
            for name in [field.name, field.name.uppercased()] {
                let bytes = Array(name.utf8)
                #expect(table.find(bytes.span, 0..<bytes.count) == field)
            }
            for wrong in [field.name + "x", String(field.name.dropLast()), "x" + field.name.dropFirst()] {
                let bytes = Array(wrong.utf8)
                let found = table.find(bytes.span, 0..<bytes.count)
                #expect(found == nil || found?.name == wrong)
            }
        }
        #expect(Set(KnownField.allCases.map(\.name)).count == KnownField.allCases.count)
        #expect(KnownField.allCases.count <= 64)
    }
}
