import ImagePlan

extension ImgproxyOptionType {
    /// The options that cannot be said in our language.
    static let refused: [ImgproxyOptionType] =
        [
            refused("unsharp_masking", "ush", because: "cannot be set; sharpen sharpens"),
            refused("objects_position", "obj_pos", "op", because: "cannot be set: objects are not detected"),
            refused("crop_objects", because: "cannot be set: objects are not detected; gravity:obj:face finds faces"),
            refused("watermark_url", "wmu", because: watermarkReason),
            refused("watermark_text", "wmt", because: watermarkReason),
            refused("watermark_size", "wms", because: watermarkReason),
            refused("watermark_rotate", "wm_rot", "wmr", because: watermarkReason),
            refused("watermark_shadow", "wmsh", because: watermarkReason),
            refused("style", "st", because: "cannot be set: vector images are rendered as they are"),
            refused(
                "fallback_image_url",
                "fiu",
                because: "cannot be set; the source's setting fallback names an image"
            ),
            refused("cache_tags", "ct", because: "cannot be set; the origin's Cache-Tag names tags"),
            refused("video_thumbnail_second", "vts", because: videoReason),
            refused("video_thumbnail_keyframes", "vtk", because: videoReason),
            refused("video_thumbnail_tile", "vtt", because: videoReason),
            refused("video_thumbnail_animation", "vta", because: videoReason),
            refused("max_src_resolution", "msr", because: "cannot be set; the setting limits.pixels does"),
            refused("max_src_file_size", "msfs", because: "cannot be set; the setting limits.source-bytes does"),
            refused("max_animation_frames", "maf", because: "cannot be set; the setting limits.frames does"),
            refused("max_animation_frame_resolution", "mafr", because: "cannot be set; the setting limits.pixels does"),
            refused("max_result_dimension", "mrd", because: "cannot be set; the setting limits.pixels does"),
        ] + [
            switched("dpi", because: "cannot be written into the image"),
            switched("blur_areas", "ba", because: "cannot be said: blur blurs the whole image"),
            switched("progressive_blur", "pbl", because: "cannot be said: blur blurs the whole image"),
            switched("blur_detections", "bd", because: "cannot be said: objects are not detected"),
            switched("draw_detections", "dd", because: "cannot be said: objects are not detected"),
            switched("gradient", "gr", because: "cannot be said: a watermark with a gradient can, in a preset"),
            switched(
                "bypass_cache",
                "bc",
                because: "cannot be said; refresh=1 in a signed request asks the origin again"
            ),
            switched("hashsum", "hs", because: "cannot be checked"),
        ]

    private static let watermarkReason = "cannot be set; a preset can have watermark=SOURCE/PATH,… or watermark=text:…"
    private static let videoReason = "cannot be set: videos are not read"

    private static func refused(_ names: String..., because reason: String) -> ImgproxyOptionType {
        ImgproxyOptionType(names: names) { (option, _) throws(RequestError) in throw option.error(reason) }
    }

    /// An option whose first argument can turn it off, which is permitted.
    private static func switched(_ names: String..., because reason: String) -> ImgproxyOptionType {
        ImgproxyOptionType(names: names) { (option, _) throws(RequestError) in
            guard let first = option.argument(0), ["0", "f", "F", "false", "FALSE", "False", "none"].contains(first)
            else { throw option.error(reason) }
        }
    }

    private init(names: [String], read: @escaping Reader) {
        self.names = names
        isPartOfPlan = true
        self.read = read
    }
}
