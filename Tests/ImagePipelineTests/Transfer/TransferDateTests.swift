import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct TransferDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func `writes and reads IMF-fixdate`(_ seconds: Int64, _ text: String) {
        #expect(TransferDate.text(seconds) == text)
        #expect(TransferDate.seconds(text) == seconds)
    }

    @Test func `writes no year beyond four digits`() {
        #expect(TransferDate.text(253_402_300_799) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(TransferDate.text(253_402_300_800) == nil)
    }
}
