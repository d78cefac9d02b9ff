import CJXL
import Testing

/// JPEG XL files with 8-bit samples, encoded by libjxl.
enum JXLSample {
    struct Frame {
        var pixels: [UInt8]
        var ticks: UInt32 = 0
    }

    /// A lossy still in three colours; change what is to differ.
    static func info(width: Int, height: Int) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        unsafe JxlEncoderInitBasicInfo(&info)
        (info.xsize, info.ysize) = (UInt32(width), UInt32(height))
        (info.bits_per_sample, info.num_color_channels, info.uses_original_profile) = (8, 3, 0)
        return info
    }

    /// Encodes frames: without loss if `info` keeps the profile's own colours, or nearly so.
    ///
    /// - Parameter profile: an ICC profile; `nil` for sRGB as code points.
    static func file(_ info: JxlBasicInfo, _ frames: [Frame], profile: [UInt8]? = nil) throws -> [UInt8] {
        let encoder = unsafe try #require(JxlEncoderCreate(nil))
        defer { unsafe JxlEncoderDestroy(encoder) }
        var info = info
        #expect(unsafe JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS)
        if let profile {
            #expect(unsafe JxlEncoderSetICCProfile(encoder, profile, profile.count) == JXL_ENC_SUCCESS)
        } else {
            var encoding = JxlColorEncoding()
            unsafe JxlColorEncodingSetToSRGB(&encoding, info.num_color_channels == 1 ? 1 : 0)
            #expect(unsafe JxlEncoderSetColorEncoding(encoder, &encoding) == JXL_ENC_SUCCESS)
        }
        let settings = unsafe JxlEncoderFrameSettingsCreate(encoder, nil)
        if info.uses_original_profile != 0 {
            unsafe JxlEncoderSetFrameLossless(settings, 1)
        } else {
            unsafe JxlEncoderSetFrameDistance(settings, 0.1)
        }
        var format = JxlPixelFormat(
            num_channels: info.num_color_channels + info.num_extra_channels,
            data_type: JXL_TYPE_UINT8,
            endianness: JXL_NATIVE_ENDIAN,
            align: 0
        )
        for frame in frames {
            if info.have_animation != 0 {
                var header = JxlFrameHeader()
                unsafe JxlEncoderInitFrameHeader(&header)
                header.duration = frame.ticks
                unsafe JxlEncoderSetFrameHeader(settings, &header)
            }
            let (pixels, count) = (frame.pixels, frame.pixels.count)
            #expect(unsafe JxlEncoderAddImageFrame(settings, &format, pixels, count) == JXL_ENC_SUCCESS)
        }
        unsafe JxlEncoderCloseInput(encoder)
        var file = [UInt8](repeating: 0, count: 256 << 10)
        let left = unsafe file.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            var room = buffer.count
            let status = unsafe JxlEncoderProcessOutput(encoder, &next, &room)
            return status == JXL_ENC_SUCCESS ? room : -1
        }
        try #require(left >= 0)
        return Array(file.dropLast(left))
    }
}
