import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FixedDecimalTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("007", "7"), ("1.50", "1.5"), (".5", "0.5"), ("-.25", "-0.25"),
        ("0.000001", "0.000001"),
        ("0.0000005", "0.000001"), ("0.0000004", "0"), ("0.30000000000000004", "0.3"), ("1.9999999", "2"),
        ("999999999.999999", "999999999.999999"),
    ])
    func `writes a number in one way`(text: String, expected: String) {
        #expect(FixedDecimal(parsing: text)?.text == expected)
    }

    @Test(arguments: [
        "", "-", ".", "5.", "-.", "+1", "1e3", "0x10", "nan", "NaN", "inf", "infinity", " 1", "1 ", "1,5", "1.2.3",
        "--1", "1_000",
        "1000000000", "٣", String(repeating: "0", count: 65),
    ])
    func `parses only plain decimals`(text: String) {
        #expect(FixedDecimal(parsing: text) == nil)
    }

    @Test func `multiplies without binary rounding errors`() throws {
        let product = try #require(FixedDecimal(parsing: "1.1")) * FixedDecimal(3)
        #expect(product.text == "3.3")
    }
}
