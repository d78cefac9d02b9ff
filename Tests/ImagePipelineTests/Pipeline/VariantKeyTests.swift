import ImagePlan
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct VariantKeyTests {
    private func key(_ quality: QualityDefaults) -> CacheKey {
        let rule = SourceRule(name: "s", location: .http(prefix: "http://o.test/"), quality: quality)
        let origin = OriginRequest(source: rule, target: "http://o.test/a", identity: "http://o.test/a")
        return VariantRequest(origin: origin, plan: "1?w=1", bucket: .webp).key
    }

    @Test func `what the operator says of encoders is a part of a result's key`() {
        var options = WebPOptions()
        #expect(key(QualityDefaults(webpOptions: options)) == key(QualityDefaults()))
        options.snsStrength = 51
        let changed = key(QualityDefaults(webpOptions: options))
        #expect(changed != key(QualityDefaults()))
        options.exact = true
        #expect(key(QualityDefaults(webpOptions: options)) != changed)
        #expect(key(QualityDefaults(webp: 50)) != key(QualityDefaults()))
    }
}
