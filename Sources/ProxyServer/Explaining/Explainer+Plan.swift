import HTTPCache
import ImagePipeline
import ImagePlan

extension Explainer {
    /// The steps in order.
    func stepsSection(_ request: ExplainedRequest) throws(Problem) -> Explanation.Section {
        let facts = try provenance(of: request).steps.enumerated().map { index, step in
            let parameters = step.step.map { $0.parameters + $0.attributeParameters } ?? []
            let text = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            return Explanation.Fact(
                String(index + 1),
                .string(text),
                words: text.isEmpty ? "no effect" : nil,
                details: step.stated.map { fact($0, request) }
            )
        }
        return Explanation.Section(name: "steps", facts: facts, isList: true)
    }

    /// All settings of the result, including defaults.
    func settingsSection(_ request: ExplainedRequest) throws(Problem) -> Explanation.Section {
        guard let plan = request.plan, plan != MetadataCleaner.planText else {
            return Explanation.Section(name: "settings", facts: [])
        }
        let said = try provenance(of: request).settings
        let facts = PlanSetting.all.map { setting in
            if let statement = said.first(where: { $0.parameter.name == setting.name }) {
                return fact(statement, request)
            }
            let origin = FactOrigin.setting(SettingOrigin(key: "", place: nil))
            var fact = Explanation.Fact(setting.name, .string(setting.defaultText), origin)
            fact.isDefault = true
            return fact
        }
        let frames = Self.words(onFramesOf: plan, request.rule.animation).map {
            Explanation.Fact("animation", .string($0))
        }
        let settings = (try? Plan(canonicalText: plan))?.settings
        let palette = settings?.paletteQuality.map { quality in
            Explanation.Fact("palette", .string("quality \(quality), for a still PNG of more than 256 colours"))
        }
        let gainMap = said.contains {
            $0.parameter.name == PlanSetting.dynamicRange.name && $0.parameter.value == DynamicRange.keep.rawValue
        }
        let words = gainMap ? (try? Plan(canonicalText: plan)).map(Self.words(onGainMapIn:)) : nil
        let kept = words.map { Explanation.Fact("gain map", .string($0)) }
        let search = settings.flatMap { settings -> Explanation.Fact? in
            guard settings.seeksQuality else { return nil }
            let score = QualityDefaults.score(at: request.rule.quality.distance(for: settings.quality))
            return Explanation.Fact("search", .string("the quality whose result scores nearest to \(score)"))
        }
        return Explanation.Section(name: "settings", facts: facts + [frames, palette, search, kept].compactMap(\.self))
    }

    /// Describes what becomes of a gain map with `hdr=keep`.
    private static func words(onGainMapIn plan: Plan) -> String {
        if let step = plan.steps.first(where: { !$0.gainMapFollows }) {
            return "not kept: it cannot follow \(step.parameters.first?.name ?? "a step")"
        }
        guard plan.settings.dynamicRange == .keep else { return "not kept: only a JPEG is written with one" }
        guard plan.settings.format == .auto else {
            return "kept if the original is a JPEG with one, and so is the result"
        }
        if plan.makesAlpha || plan.settings.encoding.isLossless {
            return "not kept: format=auto chooses no JPEG for \(plan.makesAlpha ? "transparency" : "lossless=1")"
        }
        return "kept if the original is a JPEG with one; the result is then a JPEG"
    }

    private static func words(onPlan plan: String?) -> String? {
        switch plan {
        case nil: "none: the unchanged original"
        case MetadataCleaner.planText: "the original without metadata (originals: clean)"
        default: nil
        }
    }

    /// The cache key of the response.
    func cacheSection(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> Explanation.Section {
        var facts = [
            Explanation.Fact(
                "plan",
                request.plan.map(JSONValue.string) ?? .null,
                words: Self.words(onPlan: request.plan)
            ),
            Explanation.Fact("original", .string(request.origin.key.description), details: owner(of: request.origin)),
        ]
        let bucket = request.target.bucket
        if resolved.isNegotiated {
            let words = request.accept == nil ? "\(bucket.name): no Accept field" : nil
            let origin = request.accept.map { _ in FactOrigin.field("Accept") }
            facts.append(Explanation.Fact("bucket", .string(bucket.name), words: words, origin))
        } else {
            let words = "none: the response does not depend on Accept"
            facts.append(Explanation.Fact("bucket", .null, words: words))
        }
        facts += [jxlFact(request, resolved), avifFact(request, resolved)].compactMap(\.self)
        if let brownout = brownoutFact(request, resolved) { facts.append(brownout) }
        facts += varyFacts(request, resolved)
        let key = resolved.variant(for: bucket).key
        facts.append(Explanation.Fact("key", .string(key.description), details: keys(resolved)))
        if resolved.variant(for: bucket).plan != nil {
            let words = "depends on the original's digest and size, which are not known here"
            facts.append(Explanation.Fact("resolved key", .null, words: words))
        }
        return Explanation.Section(name: "cache", facts: facts)
    }

    /// The cache keys of all buckets that an `Accept` field can select.
    private func keys(_ resolved: ResolvedRequest) -> [Explanation.Fact] {
        guard resolved.isNegotiated else { return [] }
        return FormatBucket.allCases.map { bucket in
            Explanation.Fact(bucket.name, .string(resolved.variant(for: bucket).key.description))
        }
    }

    private func provenance(of request: ExplainedRequest) throws(Problem) -> PlanProvenance {
        do throws(RequestError) {
            var options = request.entry.options
            options.isVouchedFor = request.foreign?.isSigned ?? false
            return try RequestLanguage.provenance(query: request.target.query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    private func fact(_ statement: StatedParameter, _ request: ExplainedRequest) -> Explanation.Fact {
        let origin: FactOrigin =
            switch statement.origin {
            case .query: .parameter(statement.parameter.name)
            case .fileName: .path
            case .snapped: .parameter(statement.parameter.name)
            case .preset(let name): .preset(name, loaded.places["presets.\(name)"])
            case .sourcePreset(let name): presetOrigin(name, request)
            }
        let value = statement.parameter.value
        guard case .snapped(let old) = statement.origin else {
            return Explanation.Fact(statement.parameter.name, .string(value), origin)
        }
        let words = "\(value), instead of \(old) without a signature (unsigned)"
        return Explanation.Fact(statement.parameter.name, .string(value), words: words, origin)
    }

    /// The origin of what the source's preset states, or the one that a rule sets in its place.
    private func presetOrigin(_ name: String, _ request: ExplainedRequest) -> FactOrigin {
        let place = loaded.places["presets.\(name)"]
        guard let rule = ruleOrigin(of: "preset", request) else { return .sourcePreset(name, place) }
        return .rulePreset(name, place, key: rule.key)
    }
}
