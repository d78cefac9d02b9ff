import CLinux
import CVips
import Glibc
import ImagePlan

/// Tries every coder on an image of 16 × 16 pixels, since a library may lack the plug-in for a format that it claims.
enum CodecTrial {
    /// Returns the result for a coder's format.
    static func attempt(_ coder: any Coder) -> WorkerCapabilities.Codec {
        if coder.traits != nil { return roundTrip(coder) }
        if let sample = coder.sample { return decoding(coder, sample: sample) }
        return claimed(coder)
    }

    /// Encodes the image and decodes the result.
    private static func roundTrip(_ coder: any Coder) -> WorkerCapabilities.Codec {
        do {
            let deadline = Deadline(milliseconds: 10_000)
            let grey = try Raster.greyscale([UInt8](repeating: 128, count: 256), width: 16, height: 16)
            let picture = try FinishedPicture(
                frames: [grey.convertedToSRGB(deadline)],
                animation: nil,
                filter: MetadataFilter(policy: .strip)
            )
            var options = EncodingOptions(quality: 50, deadline: deadline)
            options.settings.effort = 1
            let bytes = try coder.encode(picture, options).copy
            // A saver may fall back to another format if its encoder is missing.
            guard coder.canDecode(from: bytes.span) else {
                throw WorkerReply.Failure.worker("the encoder wrote another format")
            }
            var codec = decoding(coder, sample: bytes)
            codec.encodes = true
            if !coder.settings.isEmpty { codec.settings = coder.settings.map(\.name) }
            return codec
        } catch {
            return .init(
                format: "\(coder.format)",
                decodes: coder.isDecoderThere,
                encodes: false,
                problem: "\(error)"
            )
        }
    }

    private static func decoding(_ coder: any Coder, sample: [UInt8]) -> WorkerCapabilities.Codec {
        do {
            let mapping = try SourceMapping(descriptor: memoryFile(sample), length: sample.count)
            try withExtendedLifetime(mapping) {
                _ = try SourceDecoder(mapping, format: coder.format).open().inMemory()
            }
            return .init(format: "\(coder.format)", decodes: true)
        } catch {
            return .init(format: "\(coder.format)", decodes: false, problem: "\(error)")
        }
    }

    /// Checks a format without encoder and sample by its loader and, for HEIC, by libheif's decoder plug-in.
    private static func claimed(_ coder: any Coder) -> WorkerCapabilities.Codec {
        coder.loader?.load()
        guard coder.isDecoderThere else {
            return .init(format: "\(coder.format)", decodes: false, problem: "libvips has no loader")
        }
        guard coder.format != .heic || LibraryVersions.canDecodeHEVC else {
            return .init(format: "heic", decodes: false, problem: "libheif has no HEVC decoder")
        }
        return .init(format: "\(coder.format)", decodes: true)
    }

    private static func memoryFile(_ bytes: [UInt8]) throws(WorkerReply.Failure) -> CInt {
        let file = unsafe edge_memfd_create("trial")
        guard file >= 0, unsafe write(file, bytes, bytes.count) == bytes.count else {
            throw .worker("cannot create a memory file")
        }
        return file
    }
}
