import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlanTests {
    @Test func `round-trips through its canonical text`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<5_000 {
            let plan = RandomPlan.make(using: &generator)
            let read = try Plan(canonicalText: plan.canonicalText)
            #expect(read == plan)
            #expect(read.settings == plan.settings)
            #expect(read.steps.count == plan.steps.count)
            #expect(zip(read.steps, plan.steps).allSatisfy { $0.equals($1) }, "\(plan.canonicalText)")
            #expect(read.hashValue == plan.hashValue)
        }
    }

    @Test(arguments: [
        "", "w=3", "2?w=3", "1w=3", "1?h=3&w=3", "1?w=03", "1?w=3&", "1?w=3&dpr=2", "1?w=3&fit=contain",
        "1?q=80&format=png",
        "1?w=3&filename=x", "1?%77=3", "1?rotate=360", "1?w=0", "1?round=50%25", "1?bg=fff", "1?preset=x", "1?blur=3.0",
    ])
    func `rejects a text that is not canonical`(text: String) {
        #expect(throws: RequestError.self) { try Plan(canonicalText: text) }
    }

    @Test(arguments: [
        ("w=3", false), ("w=3&h=3&fit=cover", false), ("blur=3", false), ("rotate=90", false),
        ("rotate=90&expand=0", true), ("rotate=180&expand=0", false), ("flip=h", false),
        ("border=1,fff", false),
        ("round=5", true), ("rotate=5", true), ("w=3&h=3&fit=pad", true), ("w=3&fit=pad", false),
        ("round=5&bg=fff", false),
        ("round=5&bg=ffffff80", true), ("rotate=5&bg=fff", false),
        ("pad=5&tint=f00,dest-over", false), ("pad=5&tint=ff000080,dest-over", true),
        ("tint=f00,dest-over&pad=5", true),
    ])
    func `determines whether it adds alpha`(query: String, expected: Bool) throws {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        #expect(plan.makesAlpha == expected)
    }

    @Test func `an opaque background removes the source's alpha`() throws {
        #expect(Plan.identity.hasAlpha(source: true))
        #expect(!Plan.identity.hasAlpha(source: false))
        #expect(!Plan(settings: PlanSettings(background: .white)).hasAlpha(source: true))
    }

    @Test func `is the identity without steps`() throws {
        #expect(Plan.identity.isIdentity)
        #expect(Plan.identity.canonicalText == "1?")
        #expect(try !Plan(canonicalText: "1?flip=h").isIdentity)
    }

    @Test func `registers each name once`() {
        var seen: Set<String> = []
        for type in StepRegistry.types {
            for name in type.names { #expect(seen.insert(name).inserted, "\(name)") }
        }
        for setting in PlanSetting.all { #expect(seen.insert(setting.name).inserted, "\(setting.name)") }
        #expect(seen.isDisjoint(with: StepRegistry.attributes))
    }
}
