import ImagePlan

/// HEIC, by libheif with libde265; only read.
struct HEICCoder: HEIFReading {
    let format = ImageFormat.heic
}
