import Foundation
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Every format, step, placeholder and description in a locked worker, compared with the bytes of one that is not.
///
/// All other tests of workers run locked as well, since that is the default.
@Suite(.timeLimit(.minutes(1)), .serialized, .enabled(if: EscapeTests.isPossible))
struct LockedWorkerTests {
    /// The same jobs on a locked worker and on one that is not.
    private func compare(_ jobs: [(name: String, job: () throws -> TransformJob)]) async throws {
        try await PoolBench.withPool {
            $0.sandbox = .off
        } _: { open in
            try await PoolBench.withPool {
                $0.sandbox = .require
            } _: { locked in
                for (name, job) in jobs {
                    let expected = try await open.result(of: job())
                    let result = try await locked.result(of: job())
                    switch (expected, result) {
                    case (.success(let expected), .success(let result)):
                        #expect(result.pictures.map(\.description) == expected.pictures.map(\.description), "\(name)")
                        let bytes = [result, expected].map { $0.pictures.map(Self.comparableBytes) }
                        #expect(bytes[0] == bytes[1], "\(name)")
                    case (.failure(let expected), .failure(let error)): #expect(error == expected, "\(name)")
                    case (.success, .failure(let error)): Issue.record("\(name): \(error)")
                    case (.failure(let error), .success):
                        Issue.record("\(name): only the locked worker made it; \(error)")
                    }
                }
                // Some texts are not valid in their encoding, which replaces the worker; the last one perhaps just now.
                try await locked.wait { $0.ready == 1 && $0.starts == 1 + $0.errorReplacements + $0.spares }
                let statistics = locked.statistics
                #expect(statistics.filterKills == 0, "\(statistics)")
                let posture = try #require(locked.posture)
                #expect(posture.missingRequirements.isEmpty && posture.calls.isEmpty, "\(posture)")
            }
        }
    }

    /// The bytes of a result; libavif writes the time into sequences.
    private static func comparableBytes(_ picture: TransformResult.Picture) -> [UInt8] {
        picture.description.format == .avif && picture.description.frames > 1 ? [] : picture.bytes
    }

    private static func plan(_ query: String) throws -> String {
        query.contains("/") && !query.contains("=")
            ? query : try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    private static func job(_ queries: [String], of source: [UInt8], as format: ImageFormat) throws -> TransformJob {
        var job = try PoolBench.job(of: source, as: format)
        job.animation = AnimationLimits(frames: 256, pixels: 50_000_000, givesOriginals: true)
        job.outputs = try queries.map {
            WorkerJob.Output(plan: try plan($0), bucket: .rest, quality: QualityDefaults())
        }
        return job
    }

    private static let outputs = ["jpeg", "png", "webp", "avif", "gif", "tiff", "jxl"]

    /// Sources in all formats, from the samples of other programs and the shared images.
    private static func sources() throws -> [(String, ImageFormat, [UInt8])] {
        var files: [URL] = []
        for folder in ["Tests/ImageWorkerTests/Samples", "../shared/images"] {
            let url = URL(filePath: Checkout.path(folder))
            files += (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        }
        return try files.sorted { $0.path < $1.path }.compactMap { file in
            guard let data = try? Data(contentsOf: file), data.count < 300_000 else { return nil }
            let bytes = [UInt8](data)
            guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else { return nil }
            return try (file.lastPathComponent, header.format, #require(bytes.isEmpty ? nil : bytes))
        }
    }

    @Test func `every format is read and written byte for byte as without the sandbox`() async throws {
        let sources = try Self.sources()
        // Those that the repository contains, without the shared images.
        let formats = Set(sources.map { "\($0.1)" })
        #expect(formats.isSuperset(of: ["avif", "heic", "jp2", "jxl"]))
        try await compare(
            sources.map { name, format, bytes in
                (name, { try Self.job(Self.outputs.map { "w=24&format=\($0)" }, of: bytes, as: format) })
            }
        )
    }

    @Test func `formats that tests draw are read`() async throws {
        let png = PoolBench.smallPNG
        let drawn: [(String, ImageFormat, [UInt8])] = [
            ("svg", .svg, Array(Self.texts[0].utf8)), ("pdf", .pdf, TestDocuments.pdf(["1 0 0 rg 20 20 60 60 re f"])),
            ("png", .png, png),
        ]
        try await compare(
            drawn.map { name, format, bytes in
                (name, { try Self.job(Self.outputs.map { "w=24&format=\($0)" }, of: bytes, as: format) })
            }
        )
    }

    /// One of each step and its variations, as in `GoldenTests`.
    private static let steps = [
        "w=36", "w=30&h=30&fit=cover&gravity=east", "w=44&h=44&fit=pad&bg=203040", "w=50&h=20&fit=fill",
        "w=96&enlarge=1", "crop=20x10&gravity=southeast,1,1", "round=12", "round=10&border=3,ff8800", "blur=2",
        "sharpen=1.5", "flip=h", "rotate=90", "rotate=30", "pixelate=6", "brightness=1.3", "contrast=1.4",
        "saturation=0.3", "hue=90", "gamma=1.8", "filter=grayscale", "filter=sepia", "filter=invert",
        "filter=duotone:102040,ffe0a0", "filter=monochrome:4080ff", "filter=vignette", "filter=chroma:4080ff",
        "tint=ff8800a0",
        "tint=ff8800,multiply", "pad=5&bg=ffffff", "pad=5&bg=ffffff&trim=10", "mask=circle", "mask=star", "icc=keep",
        "offset=10,-6,0", "w=30&h=30&fit=cover&gravity=attention", "w=30&h=30&fit=cover&gravity=entropy",
        "w=30&h=30&fit=cover&gravity=subject", "linear=1&w=30",
    ]

    @Test func `the list of steps is complete`() {
        let parameters = Self.steps.flatMap { $0.split(separator: "&") }
        let taken = Set(parameters.compactMap { $0.split(separator: "=").first.map { String($0) } })
        // Tested with another image below.
        let names = StepRegistry.types.map { Set($0.names) }.filter { !$0.contains("watermark") }
        #expect(names.allSatisfy { !$0.isDisjoint(with: taken) }, "add the new step to the list above")
    }

    @Test func `every step is taken, and every description and placeholder made`() async throws {
        let query = Self.steps.flatMap { step in ["png", "webp"].map { "\(step)&format=\($0)" } }
        let descriptions = [
            "format=json", "format=blurhash", "format=lqip", "w=12&q=auto&format=jpeg", "max_bytes=900&format=webp",
            "effort=6&format=avif", "lossless=1&format=jxl", "lossless=1&format=avif", Placeholder.planText, "clean/1",
        ]
        var jobs = (query + descriptions).compactMap { text -> (String, () throws -> TransformJob)? in
            guard (try? Self.plan(text)) != nil else { return nil }
            return (text, { try Self.job([text], of: PoolBench.smallPNG, as: .png) })
        }
        #expect(jobs.count >= query.count + 6)
        // Their coefficients are kept.
        for (name, format, bytes) in try Self.sources() where format == .jpeg {
            jobs.append((name, { try Self.job(["lossless=1&format=jxl"], of: bytes, as: format) }))
        }
        for step in [
            "mask=demo/mark", "watermark=demo/mark,southeast,1,1,0.4,0.8", "watermark=demo/mark,tile,2,2,0.3,0.6",
        ] {
            jobs.append((step, { try Self.withMark("\(step)&format=png") }))
        }
        try await compare(jobs)
    }

    private static func withMark(_ query: String) throws -> TransformJob {
        var job = try job([query], of: PoolBench.smallPNG, as: .png)
        let mark = PoolBench.smallPNG
        job.auxiliaries = [
            .init(
                source: try PoolBench.memoryFile(mark),
                description: .init(name: "demo/mark", length: mark.count, format: .png, maximumPixels: 1_000_000)
            )
        ]
        return job
    }

    /// Scripts, font families, encodings and embedded images that the worker has not seen before it was locked.
    private static let texts = [
        "Hello Привет Ελλάδα", "שלום مرحبا", "漢字 かな 한국어", "ไทย हिन्दी", "😀 ∑ ♞",
    ].map { text in
        """
        <svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'>
        <text x='4' y='30' font-size='24' font-family='serif'>\(text)</text>
        <text x='4' y='12' font-size='9' font-weight='bold' font-family='monospace'>\(text)</text></svg>
        """
    }

    @Test func `a font or script that is first used after locking is rendered`() async throws {
        var jobs = Self.texts.map { text -> (String, () throws -> TransformJob) in
            (text, { try Self.job(["format=png"], of: Array(text.utf8), as: .svg) })
        }
        for encoding in ["windows-1251", "ISO-8859-7", "Shift_JIS", "GB18030", "EUC-KR", "KOI8-R", "UTF-8"] {
            let head = "<?xml version='1.0' encoding='\(encoding)'?>"
            let svg = Array(
                (head + "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><text y='15'>").utf8
            )
            let bytes = svg + (encoding == "UTF-8" ? Array("ж".utf8) : [0xC1]) + Array("</text></svg>".utf8)
            jobs.append((encoding, { try Self.job(["format=png"], of: bytes, as: .svg) }))
        }
        try await compare(jobs)
        // Not only equal: the text is there.
        try await PoolBench.withPool { pool in
            let blank = "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'></svg>"
            let empty = try await pool.result(of: Self.job(["format=png"], of: Array(blank.utf8), as: .svg)).get()
            let full = try await pool.result(of: Self.job(["format=png"], of: Array(Self.texts[0].utf8), as: .svg))
                .get()
            #expect(full.pictures[0].bytes.count > empty.pictures[0].bytes.count + 500)
        }
    }

    @Test func `the text of a PDF is rendered with a font of the machine`() async throws {
        let object = "BT /F1 24 Tf 10 40 Td (Hello) Tj ET"
        let pdf = Array(
            String(decoding: TestDocuments.pdf([object]), as: UTF8.self).replacing(
                "/MediaBox",
                with: "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/MediaBox"
            ).utf8
        )
        let composite =
            "/Resources<</Font<</F1<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/GBK-EUC-H/DescendantFonts"
            + "[<</Type/Font/Subtype/CIDFontType0/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)"
            + "/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/Song/Flags 4/FontBBox[0 0 1000 1000]"
            + "/ItalicAngle 0/Ascent 800/Descent -200/StemV 80>>>>]>>>>>>/MediaBox"
        let chinese = Array(
            String(decoding: TestDocuments.pdf(["BT /F1 24 Tf 10 40 Td <BABA> Tj ET"]), as: UTF8.self)
                .replacing("/MediaBox", with: composite).utf8
        )
        try await compare([
            ("Helvetica", { try Self.job(["format=png"], of: pdf, as: .pdf) }),
            ("GBK", { try Self.job(["format=png"], of: chinese, as: .pdf) }),
        ])
    }

    @Test func `all layers are in force on a kernel that has them`() async throws {
        try await PoolBench.withPool { pool in
            try await pool.wait { $0.ready == 1 }
            let posture = try #require(pool.posture)
            let refused = WorkerPosture.Layer.allCases.filter { posture.refusal(of: $0) != nil }
            // Each layer was tried, and the kernel's answer is recorded.
            #expect(posture.outcomes.count == WorkerPosture.Layer.allCases.count)
            if !refused.isEmpty { print("\(refused.count) layers are refused here: \(refused.map(\.name))") }
            #expect(!refused.contains { $0.isRequired })
            // The kernel agrees about the process.
            let status = try String(contentsOfFile: "/proc/\(pool.statistics.workers[0].pid)/status", encoding: .utf8)
            #expect(status.contains("\nSeccomp:\t2\n") && status.contains("\nNoNewPrivs:\t1\n"), "\(status)")
        }
    }

    /// The lines of a file in a process's folder in `/proc`, which String(contentsOfFile:) reads a page of.
    private static func lines(of name: String, _ process: pid_t) throws -> [Substring] {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/\(name)"))
        let bytes = try file.readToEnd() ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test func `a warm worker maps nothing executable and holds only its socket`() async throws {
        try await PoolBench.withPool { pool in
            try await pool.wait { $0.ready == 1 }
            let process = pool.statistics.workers[0].pid
            func executable() throws -> [Substring] {
                try Self.lines(of: "maps", process).filter {
                    $0.contains(" r-xp ") || $0.contains("x") && $0.split(separator: " ")[1].contains("x")
                }
            }
            let before = try executable()
            #expect(!before.contains { $0.contains("rwx") || $0.contains("memfd") || $0.contains("orcexec") })
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").sorted()
            #expect(links == ["0", "1", "2", "3"])
            for name in Self.outputs {
                let job = try Self.job(["w=20&blur=2&sharpen=1&format=\(name)"], of: PoolBench.smallPNG, as: .png)
                _ = await pool.result(of: job)
            }
            let after = try executable()
            #expect(after == before)
        }
    }

    @Test func `a worker unmaps the code that only its start used, although it is never idle`() async throws {
        try await PoolBench.withPool { pool in
            let job = try Self.job(["w=20&format=png"], of: PoolBench.smallPNG, as: .png)
            // The second job begins after the unmapping.
            for _ in 0..<2 { _ = try await pool.result(of: job).get() }
            let mappings = try Self.lines(of: "smaps", pool.statistics.workers[0].pid)
            let start = try #require(mappings.firstIndex { $0.contains(" r-xp ") && $0.contains("librsvg") })
            let resident = try #require(mappings[start...].first { $0.hasPrefix("Rss:") })
            #expect(resident.split(separator: " ").dropFirst() == ["0", "kB"], "\(resident)")
        }
    }
}
