import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct EncodingSearchTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func job(_ output: WorkerJob.Output) -> WorkerJob {
        var job = WorkerJob()
        (job.sourceLength, job.deadlineMilliseconds, job.maximumPixels, job.outputs) = (9, 10, 10, [output])
        return job
    }

    @Test func `q=auto is a distinct setting`() throws {
        let auto = try plan("q=auto&w=3")
        #expect(auto.canonicalText == "1?w=3&q=auto")
        #expect(auto.settings.seeksQuality && auto.settings.quality == .search(nil))
        #expect(try Plan(canonicalText: auto.canonicalText) == auto)
        #expect(Plan.takesConfiguredDistance(canonicalText: auto.canonicalText))
        #expect(try plan("q=80").settings.seeksQuality == false)
        for text in ["1?w=3", "1?q=80", "1?mask=a%26q%3Dauto", "1?", "1?q=auto:eco"] {
            #expect(!Plan.takesConfiguredDistance(canonicalText: text))
        }
        for wrong in ["q=AUTO", "q=automatic", "q=auto&q=80"] {
            let error = #expect(throws: RequestError.self) { try plan(wrong) }
            #expect(error?.parameter == "q" && error?.status == .malformed, "\(wrong)")
        }
    }

    @Test func `a number in the URL overrides a preset's auto, and vice versa`() throws {
        let options = { (query: String) in
            ParseOptions(presets: ["p": try Preset(name: "p", text: query)])
        }
        let number = try RequestLanguage.parse(query: "preset=p&q=70", options: options("w=3&q=auto")).plan
        #expect(number.canonicalText == "1?w=3&q=70")
        let auto = try RequestLanguage.parse(query: "preset=p&q=auto", options: options("w=3&q=70")).plan
        #expect(auto.canonicalText == "1?w=3&q=auto")
    }

    @Test func `a job carries the goal of a search`() throws {
        var output = WorkerJob.Output(plan: "1?q=auto", bucket: .webp, quality: QualityDefaults())
        output.quality.distance = 750
        output.search = EncodingSearch(takesSmallest: true)
        #expect(try WorkerJob(decoding: job(output).encoded()) == job(output))
        output.quality.distance = 99
        #expect(throws: WorkerMessageError.field("distance")) { try job(output).encoded() }
    }

    @Test func `a reply carries the result of a search`() throws {
        var output = WorkerReply.Output(format: .webp, width: 1, height: 2, frames: 3, hasAlpha: true, length: 2)
        for (quality, tries, score) in [(nil, 0, nil), (71, 4, 1), (100, 255, 1_000)] as [(Int?, Int, Int?)] {
            (output.quality, output.tries, output.score) = (quality, tries, score)
            #expect(output.found == score.map { FoundQuality(quality: quality ?? 0, score: $0) })
            let reply = WorkerReply(id: 1, result: .success([output]), timing: .init())
            let message = try reply.encoded(inline: [[1, 2]])
            #expect(try WorkerReplyMessage(decoding: message, descriptors: 0).reply == reply)
        }
        for score in [0, 1_001] {
            output.score = score
            #expect(throws: WorkerMessageError.field("score")) {
                try WorkerReply(id: 1, result: .success([output]), timing: .init()).encoded(inline: [[1, 2]])
            }
        }
        (output.quality, output.score) = (101, nil)
        #expect(throws: WorkerMessageError.field("quality")) {
            try WorkerReply(id: 1, result: .success([output]), timing: .init()).encoded(inline: [[1, 2]])
        }
    }

    @Test func `the search for the smallest tries only formats that keep as much as the first choice`() {
        let all = EncoderTable(
            Dictionary(
                uniqueKeysWithValues: [ImageFormat.jpeg, .png, .gif, .webp, .avif, .jxl].map { format in
                    let traits = EncoderTraits(
                        hasAlpha: format != .jpeg,
                        hasAnimation: format == .gif || format == .webp,
                        isLosslessPossible: format != .jpeg,
                        longestSide: format == .webp ? 16_383 : 65_535
                    )
                    return (format, traits)
                }
            )
        )
        func contenders(
            _ chosen: ImageFormat,
            _ bucket: FormatBucket,
            alpha: Bool = false,
            animated: Bool = false,
            lossless: Bool = false,
            side: Int = 100
        ) -> [ImageFormat] {
            let demand = EncoderTable.Demand(
                hasAlpha: alpha,
                isAnimated: animated,
                isLossless: lossless,
                size: PixelSize(width: side, height: 10)
            )
            return FormatNegotiation.contenders(chosen: chosen, bucket: bucket, demand: demand, encoders: all)
        }
        #expect(contenders(.jpeg, .rest) == [.jpeg, .png])
        #expect(contenders(.png, .rest) == [.png, .jpeg])
        #expect(contenders(.webp, .webp) == [.webp, .jpeg, .png])
        #expect(contenders(.webp, .avif) == [.webp, .avif, .jpeg, .png])
        #expect(contenders(.webp, .webp, alpha: true) == [.webp, .png])
        #expect(contenders(.jxl, .jxl) == [.jxl, .webp, .jpeg, .png])
        #expect(contenders(.jxl, .avifJXL) == [.jxl, .webp, .avif, .jpeg, .png])
        #expect(contenders(.webp, .avif, lossless: true) == [.webp, .avif, .png])
        #expect(contenders(.jpeg, .webp, side: 20_000) == [.jpeg, .png])
        #expect(contenders(.webp, .avif, animated: true) == [.webp])
    }
}
