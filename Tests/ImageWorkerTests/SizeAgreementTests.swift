import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Results have the planned size: random plans of every step, for stills and animations.
@Suite(.timeLimit(.minutes(2)))
struct SizeAgreementTests {
    private static func step(using generator: inout SeededGenerator) -> String {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func pick(_ values: [String]) -> String { values[number(0...values.count - 1)] }
        switch number(0...18) {
        case 0: return "crop=\(number(-9...30)),\(number(-9...30)),\(number(1...60)),\(number(1...60))"
        case 1: return "crop=\(number(1...40))x\(number(1...100))%25"
        case 2: return "rotate=\(number(0...359)).\(number(0...9))"
        case 3: return "rotate=\(number(0...3) * 90)"
        case 4: return "flip=\(pick(["h", "v", "hv"]))"
        case 5: return "pad=\(number(1...9)),\(number(0...9)),\(number(0...9)),\(number(0...9))"
        case 6: return "round=\(pick(["max", "5", "20%25", "1,2,3,4"]))"
        case 7: return "border=\(number(1...9)).5,ff8800"
        case 8: return "blur=\(pick(["0.3", "2", "7", "13", "60", "250"]))"
        case 9: return "sharpen=\(pick(["0.3", "2"]))"
        case 10: return "pixelate=\(number(1...70))"
        case 11:
            let filters = [
                "grayscale", "sepia", "vignette:1", "duotone:123,fed", "invert", "monochrome", "chroma:ff8800",
            ]
            return "filter=\(pick(filters))"
        case 12: return "tint=\(pick(["f80", "ff880080"])),\(pick(BlendMode.allCases.map(\.rawValue)))"
        case 13: return "mask=\(pick(MaskStep.Shape.allCases.map(\.rawValue)))"
        case 15:
            return "crop=\(number(1...16)):\(number(1...9)),\(pick(["north", "southeast,2,1", "9px,5px", "0.3,0.7"]))"
        case 16:
            return "pad=\(number(1...70))x\(number(100...150))%25,\(pick(["center", "northwest,3,10%25", "south"]))"
        case 17: return "pad=\(number(1...16)):\(number(8...16))"
        case 14: return pick(["offset=9,-9,0", "brightness=2", "contrast=0.5", "saturation=2", "hue=40", "gamma=0.5"])
        default:
            let unit = pick(["", "", "%25"])
            var sides = ["w=\(number(1...80))", "h=\(number(1...80))\(unit)"].shuffled(using: &generator)
            if number(0...2) == 0 { sides.removeLast() }
            let fit = pick(Fit.allCases.map(\.rawValue))
            if fit == "contain" || fit == "outside", number(0...2) == 0 { sides.append("min-w=\(number(1...60))") }
            return (sides + ["fit=\(fit)", "enlarge=\(number(0...1))"]).joined(separator: "&")
        }
    }

    /// Two to five steps, with at most one resize and one trim.
    private static func steps(using generator: inout SeededGenerator) -> [String] {
        var steps: [String] = []
        for _ in 0..<Int.random(in: 2...5, using: &generator) {
            let step = step(using: &generator)
            if step.contains("fit="), steps.contains(where: { $0.contains("fit=") }) { continue }
            steps.append(step)
        }
        if Int.random(in: 0...2, using: &generator) == 0 {
            steps.insert("trim=40", at: Int.random(in: 0...steps.count, using: &generator))
        }
        return steps
    }

    private func resolvedSize(_ steps: ArraySlice<String>, from size: PixelSize) throws -> PixelSize {
        let plan = try RequestLanguage.parse(query: steps.joined(separator: "&"), options: ParseOptions()).plan
        return try PlanGeometry.resolve(plan, source: size).last?.output.size ?? size
    }

    private func check(_ steps: [String], on source: [UInt8], _ format: ImageFormat, size: PixelSize, frames: Int)
        throws
    {
        let label = Comment(rawValue: "\(steps.joined(separator: "&")) on \(size)")
        func make(_ steps: ArraySlice<String>) throws -> Workbench.Made {
            let query = (steps + ["format=\(frames == 1 ? "png" : "gif")"]).joined(separator: "&")
            return try Workbench.make(query, of: source, as: format)
        }
        let expected: PixelSize
        do {
            if let trim = steps.firstIndex(where: { $0.hasPrefix("trim") }) {
                _ = try resolvedSize(steps[..<trim], from: size)
                let trimmed = try make(steps[...trim]).description
                let bound = try resolvedSize(steps[..<trim], from: size)
                #expect(trimmed.width <= bound.width && trimmed.height <= bound.height, label)
                let made = PixelSize(width: trimmed.width, height: trimmed.height)
                expected = try resolvedSize(steps[(trim + 1)...], from: made)
            } else {
                expected = try resolvedSize(steps[...], from: size)
            }
        } catch let refusal as RequestError {
            // The same step fails; before decoding its error names the largest possible size at that step.
            let failure = #expect(throws: WorkerReply.Failure.self, label) { try make(steps[...]) }
            guard case .refused(let reason, _) = failure else {
                Issue.record("\(String(describing: failure)): \(label)")
                return
            }
            #expect(reason.hasPrefix(refusal.parameter + ": "), label)
            return
        }
        let made = try make(steps[...])
        #expect(made.description.width == expected.width && made.description.height == expected.height, label)
        #expect(made.description.frames == frames, label)
        let pixels = try Workbench.decode(made)
        #expect(pixels.width == expected.width && pixels.height == expected.height * frames, label)
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func `a still has the planned size`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let width = Int.random(in: 1...70, using: &generator)
            let height = Int.random(in: 1...70, using: &generator)
            let image = PixelImage(width: width, height: height) { x, y in
                let isInk = x > width / 4 && y > height / 5
                return isInk ? [UInt8(x * 3), UInt8(y * 3), 40, 255] : [250, 250, 250, seed == 2 ? 0 : 255]
            }
            let steps = Self.steps(using: &generator)
            try check(steps, on: Workbench.png(image), .png, size: PixelSize(width: width, height: height), frames: 1)
        }
    }

    @Test(arguments: [11 as UInt64, 12])
    func `every frame of an animation has the planned size`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let width = Int.random(in: 1...50, using: &generator)
            let height = Int.random(in: 1...50, using: &generator)
            let gif = ThreeFrames.gif(width: width, height: height)
            let steps = Self.steps(using: &generator)
            try check(steps, on: gif, .gif, size: PixelSize(width: width, height: height), frames: 3)
        }
    }
}
