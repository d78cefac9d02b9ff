import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlanProvenanceTests {
    private func provenance(_ query: String, sourcePreset: String? = nil) throws -> PlanProvenance {
        let presets = [
            "thumb": try Preset(name: "thumb", text: "blur=2&w=400&h=300&fit=cover&q=70"),
            "soft": try Preset(name: "soft", text: "sharpen=1&w=100&q=10&gravity=north"),
        ]
        let options = ParseOptions(presets: presets, sourcePreset: sourcePreset.flatMap { presets[$0] })
        return try RequestLanguage.provenance(query: Array(query.utf8), options: options)
    }

    /// `step < w=400 query, h=300 preset thumb`, one line per step.
    private func lines(_ provenance: PlanProvenance) -> [String] {
        provenance.steps.map { step in
            let parameters = step.step.map { $0.parameters + $0.attributeParameters } ?? []
            let text = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            return "\(text) < \(step.stated.map(word).joined(separator: ", "))"
        }
    }

    private func word(_ stated: StatedParameter) -> String {
        let origin =
            switch stated.origin {
            case .query: "query"
            case .preset(let name): "preset \(name)"
            case .snapped: "snapped"
            case .fileName: "file name"
            case .sourcePreset(let name): "source \(name)"
            }
        return "\(stated.parameter.name)=\(stated.parameter.value) \(origin)"
    }

    @Test func `distinguishes query, preset and source preset, and what replaced what`() throws {
        let provenance = try provenance("flip=h&preset=thumb&w=800&dpr=2&q=50", sourcePreset: "soft")
        #expect(
            lines(provenance) == [
                "sharpen=1 < sharpen=1 source soft",
                "w=1600 h=600 fit=cover gravity=north < w=800 query, h=300 preset thumb, gravity=north source soft, "
                    + "fit=cover preset thumb, dpr=2 query",
                "flip=h < flip=h query",
                "blur=4 < blur=2 preset thumb, dpr=2 query",
            ]
        )
        #expect(provenance.settings.map(word) == ["q=50 query"])
    }

    @Test func `keeps parameters without effect, which are not steps`() throws {
        let provenance = try provenance("rotate=360&w=10")
        #expect(lines(provenance) == [" < rotate=360 query", "w=10 < w=10 query"])
        #expect(provenance.steps.map { $0.step == nil } == [true, false])
    }

    @Test(arguments: [
        "", "w=10", "h=5&blur=1&w=10", "preset=thumb", "preset=none&rotate=360", "preset=thumb&w=8&bg=fff",
    ])
    func `has the steps of the plan in order`(_ query: String) throws {
        let options = ParseOptions(
            presets: ["thumb": try Preset(name: "thumb", text: "w=400&fit=cover&h=1")],
            sourcePreset: try Preset(name: "s", text: "flip=v")
        )
        let plan = try RequestLanguage.parse(query: query, options: options).plan
        let provenance = try RequestLanguage.provenance(query: Array(query.utf8), options: options)
        #expect(provenance.steps.compactMap(\.step).map { $0.parameters } == plan.steps.map { $0.parameters })
    }

    @Test func `rejects what the language rejects`() {
        #expect(throws: RequestError(parameter: "w", reason: "has no value")) { try provenance("w=") }
    }
}
