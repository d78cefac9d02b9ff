import ImagePlan
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct VariantKeyTests {
    private func key(_ quality: QualityDefaults) -> CacheKey {
        let rule = SourceRule(name: "s", location: .http(prefix: "http://o.test/"), quality: quality)
        let origin = OriginRequest(source: rule, at: "http://o.test/a")
        return VariantRequest(origin: origin, plan: "1?w=1", bucket: .webp).key
    }

    @Test func `the operator's encoder settings are part of a variant's key`() {
        var options = WebPOptions()
        #expect(key(QualityDefaults(webpOptions: options)) == key(QualityDefaults()))
        options.snsStrength = 51
        let changed = key(QualityDefaults(webpOptions: options))
        #expect(changed != key(QualityDefaults()))
        options.exact = true
        #expect(key(QualityDefaults(webpOptions: options)) != changed)
        #expect(key(QualityDefaults(webp: 50)) != key(QualityDefaults()))
    }

    @Test func `animation limits are part of a variant's key, except the defaults`() {
        func key(_ change: (inout SourceRule) -> Void) -> CacheKey {
            var rule = SourceRule(name: "s", location: .http(prefix: "http://o.test/"))
            change(&rule)
            let origin = OriginRequest(source: rule, at: "http://o.test/a")
            return VariantRequest(origin: origin, plan: "1?w=1", bucket: .webp).key
        }
        let usual = key { _ in }
        #expect(key { $0.originals = .clean } == usual)
        #expect(key { $0.limits.pixels = 9 } == usual)
        let changed = [
            key { $0.limits.animation = 9 }, key { $0.limits.frames = 9 }, key { $0.originals = .refuse },
        ]
        #expect(Set(changed + [usual]).count == 4)
    }
}
