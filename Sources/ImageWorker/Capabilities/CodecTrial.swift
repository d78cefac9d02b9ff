import CLinux
import CVips
import Glibc
import ImagePlan

/// Tries the codecs of the allow-list on a picture of 16 × 16 pixels: what a library claims to hold may still lack its plug-in.
enum CodecTrial {
    /// Every format that is decoded, with what came of it.
    static func run() -> [WorkerCapabilities.Codec] {
        ImageFormat.allCases.filter(SourceDecoder.isAllowed).map { format in
            switch format {
            case .tiff: decoding(format, sample: tiff)
            case .heic: heic()
            default: roundTrip(format)
            }
        }
    }

    /// Encodes the picture, then decodes what came of it.
    private static func roundTrip(_ format: ImageFormat) -> WorkerCapabilities.Codec {
        let bytes: [UInt8]
        do throws(VipsError) {
            let picture = try Raster.greyscale([UInt8](repeating: 128, count: 256), width: 16, height: 16)
                .convertedToSRGB()
            bytes = try Encoder(settings: .init(format: format, quality: 50, strips: true)).encode(picture).copy
        } catch {
            return .init(
                format: "\(format)",
                decodes: isLoaderKnown(format),
                encodes: false,
                problem: error.description
            )
        }
        var codec = decoding(format, sample: bytes)
        codec.encodes = true
        return codec
    }

    private static func decoding(_ format: ImageFormat, sample: [UInt8]) -> WorkerCapabilities.Codec {
        do {
            let mapping = try SourceMapping(descriptor: memoryFile(sample), length: sample.count)
            try withExtendedLifetime(mapping) {
                _ = try SourceDecoder(mapping, format: format).open().inMemory()
            }
            return .init(format: "\(format)", decodes: true)
        } catch {
            return .init(format: "\(format)", decodes: false, problem: "\(error)")
        }
    }

    /// HEIC has no encoder here, so libheif is asked for its decoder, which is a plug-in.
    private static func heic() -> WorkerCapabilities.Codec {
        // enum heif_compression_format: heif_compression_HEVC = 1.
        let hasDecoder = isLoaderKnown(.heic) && LibraryVersions.heifDecodes(compression: 1)
        return .init(format: "heic", decodes: hasDecoder, problem: hasDecoder ? nil : "libheif has no HEVC decoder")
    }

    /// Whether libvips has the format's loader at all.
    private static func isLoaderKnown(_ format: ImageFormat) -> Bool {
        let name = format == .avif || format == .heic ? "heif" : "\(format)"
        return unsafe vips_type_find("VipsForeignLoad", "\(name)load_buffer") != 0
    }

    private static func memoryFile(_ bytes: [UInt8]) throws(WorkerReply.Failure) -> CInt {
        let file = unsafe edge_memfd_create("trial")
        guard file >= 0, unsafe write(file, bytes, bytes.count) == bytes.count else {
            throw .worker("no memory file")
        }
        return file
    }

    /// A TIFF of one grey pixel (TIFF 6.0 §2–3): head, nine entries, the pixel.
    private static let tiff: [UInt8] = {
        let entries: [(tag: UInt16, value: UInt16)] = [
            (256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1), (278, 1), (279, 1),
        ]
        func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        var bytes: [UInt8] = Array("II".utf8) + [42, 0, 8, 0, 0, 0] + little(UInt16(entries.count))
        for entry in entries { bytes += little(entry.tag) + [3, 0, 1, 0, 0, 0] + little(entry.value) + [0, 0] }
        return bytes + [0, 0, 0, 0, 128]
    }()
}
