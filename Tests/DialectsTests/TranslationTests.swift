import Dialects
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TranslationTests {
    @Test("The query of a translation is one that the request language reads")
    func query() throws {
        let translation = Translation(
            image: .path("cat.jpg"),
            parameters: [Parameter("w", "300"), Parameter("gravity", "0.3,0.7")],
            signature: .none
        )
        #expect(translation.query == "w=300&gravity=0.3,0.7")
    }
}
