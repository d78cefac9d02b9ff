import Foundation
import HTTPCache
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline
@testable import ProxyServer

/// The vectors that all clients share are what this server builds, signs, accepts and writes.
@Suite(.timeLimit(.minutes(1)))
struct ClientVectorTests {
    @Test func `builds and accepts every target`() throws {
        let resolver = try Vectors.resolver()
        let builder = RequestBuilder(resolver)
        let cases = try Vectors.read("urls", Vectors.Cases<Vectors.Case>.self).cases
        #expect(cases.count > 50)
        for one in cases {
            let target = try builder.target(of: one.request.built())
            #expect(target == one.target, "\(one.request.name)")
            #expect(throws: Never.self, "\(one.request.name)") { try resolver.resolve(Array(target.utf8)) }
            if let base = one.base {
                #expect(one.url == (base.hasSuffix("/") ? String(base.dropLast()) : base) + target)
            }
        }
    }

    @Test func `the parts of watermarks are canonical`() throws {
        let builder = try RequestBuilder(Vectors.resolver())
        for one in try Vectors.read("watermarks", Vectors.Cases<Vectors.Case>.self).cases {
            let value = try #require(one.value)
            let step = try #require(try WatermarkStep(parsing: Parameter("watermark", value), in: StepContext()))
            #expect(step.value == value, "\(one.request.name)")
            if let text = one.text {
                guard case .text(let mark) = step.mark else { throw Unexpected(name: one.request.name) }
                #expect(mark.text == text)
            } else {
                guard case .picture(let path, _) = step.mark else { throw Unexpected(name: one.request.name) }
                #expect(path.path.source == one.request.source)
                #expect(path.path.segments.joined(separator: "/") == one.request.path)
            }
            var request = RequestBuilder.Request(subject: "photos/cat.jpg")
            request.parameters = [(name: "watermark", value: value)]
            #expect(try builder.target(of: request) == one.target)
        }
    }

    private struct Unexpected: Error {
        let name: String
    }

    @Test func `refuses every refusal and names its parameter`() throws {
        let builder = try RequestBuilder(Vectors.resolver())
        let cases = try Vectors.read("refusals", Vectors.Cases<Vectors.Case>.self).cases
        #expect(cases.count > 30)
        for one in cases {
            let problem = #expect(throws: Problem.self, "\(one.request.name)") {
                try builder.target(of: one.request.built())
            }
            // A path without a source is a 404, which names no parameter.
            let isNowhere = problem?.status == 404 && one.request.source == ""
            #expect(problem?.parameter == (isNowhere ? nil : one.parameter), "\(one.request.name)")
            #expect(one.by == "client" || one.by == "server")
        }
    }

    @Test func `signs and accepts every signature, and no other target with it`() throws {
        let file = try Vectors.read("signatures", Vectors.Signatures.self)
        #expect(file.cases.count > 10 && file.keys.count > 1)
        for one in file.cases + file.keys {
            let resolver = try Vectors.resolver(signing: one.key ?? file.key)
            let signed = try #require(one.signed)
            #expect(try RequestBuilder(resolver).target(of: one.request.built()) == signed, "\(one.request.name)")
            #expect(signed.hasPrefix(one.target ?? "-") && signed.hasSuffix("sig=\(one.sig ?? "-")"))
            #expect(throws: Never.self, "\(one.request.name)") { try resolver.resolve(Array(signed.utf8)) }
            let wrong = signed.replacing("/fetch?", with: "/fetch?page=1&").replacing("/photos/", with: "/photos/x")
            let problem = #expect(throws: Problem.self) { try resolver.resolve(Array(wrong.utf8)) }
            #expect(problem?.status == 403 && problem?.parameter == "sig")
            if let base = one.base { #expect(one.url == base + signed) }
        }
    }

    @Test func `signs and accepts every signature for a site with a prefix`() throws {
        let file = try Vectors.read("signatures", Vectors.Signatures.self)
        #expect(file.sites.count > 3)
        for one in file.sites {
            let prefix = try #require(one.prefix)
            let signed = try #require(one.signed)
            let resolver = try Vectors.resolver(signing: file.key, prefix: prefix)
            #expect(try RequestBuilder(resolver).target(of: one.request.built()) == signed, "\(one.request.name)")
            #expect(signed.hasPrefix(one.target ?? "-") && signed.hasSuffix("sig=\(one.sig ?? "-")"))
            // The listener removes the prefix before it resolves a path.
            let target = Array(signed.dropFirst(prefix.count).utf8)
            #expect(throws: Never.self, "\(one.request.name)") { try resolver.resolve(target) }
            let problem = #expect(throws: Problem.self) { try Vectors.resolver(signing: file.key).resolve(target) }
            #expect(problem?.status == 403 && problem?.parameter == "sig")
        }
    }

    @Test func `a scope permits and refuses what the vectors say`() throws {
        let file = try Vectors.read("signatures", Vectors.Signatures.self)
        let resolver = try Vectors.resolver(signing: file.key)
        #expect(file.scopes.count > 5 && file.scopeTexts.count > 3)
        for one in file.scopes + file.scopeTexts {
            func target(_ query: String) -> [UInt8] { Array((query.isEmpty ? one.open : "\(one.open)&\(query)").utf8) }
            for query in one.permits {
                #expect(throws: Never.self, "\(one.name): \(query)") { try resolver.resolve(target(query)) }
            }
            for refusal in one.refuses {
                let problem = #expect(throws: Problem.self, "\(one.name)") {
                    try resolver.resolve(target(refusal.query))
                }
                #expect(problem?.status == 403 && problem?.parameter == refusal.parameter, "\(one.name)")
            }
            let parsed = try SignatureScope(parsing: Parameter("scope", one.scope))
            if let entries = one.entries { #expect(parsed.names == entries.map(\.name)) }
        }
    }

    @Test func `edgeprint url writes every srcset of widths`() throws {
        let file = try Vectors.read("srcset", Vectors.Sets.self)
        let folder = try TemporaryFolder()
        for (name, key) in [("plain", nil), ("signed", file.key)] as [(String, String?)] {
            try Vectors.yaml(signing: key).write(
                toFile: "\(folder.path)/\(name).yaml",
                atomically: false,
                encoding: .utf8
            )
        }
        for one in file.cases {
            guard let widths = one.widths else { continue }
            let name = one.signed == true ? "signed" : "plain"
            let request = try one.request.built()
            var arguments = ["url", "--config", "\(folder.path)/\(name).yaml", request.subject]
            arguments += request.parameters.map { "\($0.name)=\($0.value)" }
            arguments += ["--widths", widths.map(String.init).joined(separator: ",")]
            if let base = one.base { arguments += ["--base", base] }
            if let scope = request.scope { arguments += ["--scope", scope] }
            if let expires = request.expires { arguments += ["--expires", String(expires)] }
            let run = try CommandRun(arguments)
            #expect(run.output == one.srcset + "\n", "\(one.request.name): \(run.errors)")
        }
    }

    @Test func `edgeprint url refuses every set of widths that clients refuse`() throws {
        let file = try Vectors.read("srcset", Vectors.Sets.self)
        let configuration = try ConfigurationText(Vectors.yaml())
        #expect(file.refusals.count > 1)
        for one in file.refusals {
            let request = try one.request.built()
            var arguments = ["url", "--config", configuration.path, request.subject]
            arguments += request.parameters.map { "\($0.name)=\($0.value)" }
            arguments += ["--widths", one.widths.map(String.init).joined(separator: ",")]
            let run = try CommandRun(arguments)
            #expect(run.code == 1 && run.errors.hasPrefix("edgeprint: \(one.parameter): "), "\(run.errors)")
        }
    }

    @Test func `accepts every candidate, and its width or density is the stated one`() throws {
        let file = try Vectors.read("srcset", Vectors.Sets.self)
        #expect(file.cases.count > 10 && file.pictures.count > 5)
        for one in file.cases {
            try check(one.srcset, one.base, signing: one.signed == true ? file.key : nil, one.request.name)
        }
        for one in file.pictures {
            for found in one.html.matches(of: /srcset="([^"]*)"/) {
                let srcset = String(found.output.1).replacing("&amp;", with: "&")
                try check(srcset, one.base, signing: one.signed == true ? file.key : nil, one.name)
            }
        }
    }

    /// Resolves each candidate of a `srcset`, and compares its parameters with its descriptor.
    private func check(_ srcset: String, _ base: String?, signing key: String?, _ name: String) throws {
        let resolver = try Vectors.resolver(signing: key)
        // Commas are in URLs, too, but not followed by spaces.
        for candidate in srcset.components(separatedBy: ", ") {
            let parts = candidate.components(separatedBy: " ")
            let target = Array(parts[0].utf8.dropFirst(base?.utf8.count ?? 0))
            #expect(throws: Never.self, "\(name)") { try resolver.resolve(target) }
            let query = target.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            let stated = parts[1].hasSuffix("w") ? "w" : "dpr"
            let pair = try QueryPair.split(Array(query)).first { $0.name == stated }
            #expect(pair?.value == String(parts[1].dropLast()), "\(name)")
        }
    }

    @Test func `the vectors contain every Cache-Status of this server`() throws {
        var values: Set<String> = []
        for tier in CacheStatus.Tier.allCases { values.insert(CacheStatus.hit(tier).text) }
        for reason in CacheStatus.Reason.allCases {
            values.insert(CacheStatus.forwarded(reason, status: nil, collapsed: false).text)
        }
        for cause in CacheStatus.Cause.allCases { values.insert(CacheStatus.unasked(cause).text) }
        for status in [.collapsedMiss, .revalidated, .revalidated.collapsed, .owner, .owner.collapsed, .fallback]
            as [CacheStatus]
        {
            values.insert(status.text)
        }
        values.insert(CacheStatus.answered(.uriMiss, status: 404).text)
        func text(_ field: [UInt8]) -> String {
            String(decoding: field, as: UTF8.self).replacing("Cache-Status: ", with: "").replacing("\r\n", with: "")
        }
        values.insert(text(CacheStatusFields.field(.miss, isStored: true)))
        values.insert(text(CacheStatusFields.field(.miss, isStored: false)))
        values.insert(text(CacheStatusFields.placeholder))
        values.insert(text(CacheStatusFields.deferred(.hit(.memory))))
        for rung in BrownoutRung.allCases { values.insert(text(CacheStatusFields.brownout(nil, rung))) }
        let outOfTouch = CacheStatus.forwarded(.outOfTouch, status: nil, collapsed: false)
        values.insert(text(CacheStatusFields.brownout(outOfTouch, .stale)))
        let vectors = try Vectors.read("cache-status", Vectors.Fields.self).cacheStatus.map(\.value)
        #expect(Set(vectors) == values)
        #expect(vectors.count == values.count)
    }

    @Test func `writes every Server-Timing`() throws {
        let cases = try Vectors.read("cache-status", Vectors.Fields.self).serverTiming
        #expect(cases.count > 3)
        for one in cases {
            var timings = StageTimings()
            for (stage, duration) in one.microseconds {
                switch stage {
                case "fetch": timings.fetch = duration
                case "fetch-dns": timings.phases.resolve = duration
                case "fetch-connect": timings.phases.connect = duration
                case "fetch-tls": timings.phases.secure = duration
                case "fetch-first-byte": timings.phases.firstByte = duration
                case "mirror": timings.phases.mirror = Int(duration)
                case "queue": timings.queue = duration
                case "decode": timings.decode = duration
                case "transform": timings.transform = duration
                case "encode": timings.encode = duration
                case "store": timings.store = duration
                default: throw Unexpected(name: stage)
                }
            }
            let field = String(decoding: ServerTimingField.bytes(timings), as: UTF8.self)
            #expect(field == (one.value.isEmpty ? "" : "Server-Timing: \(one.value)\r\n"), "\(one.name)")
        }
    }
}
