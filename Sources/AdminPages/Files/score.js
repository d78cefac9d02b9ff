// The score of SSIMULACRA 2 as the server's q=auto measures it (PerceptualScore.swift): 100 for equal images, below 0 for very bad ones.
// Terms: channel (X, Y, B), scale, kind (loss of structure, added edges, lost edges), whether the fourth root of the mean fourth power
// counts instead of the mean, and weight.
const terms = [
  [0, 1, 0, 1, 1.1041726], [0, 2, 0, 1, 1.8422456], [0, 2, 1, 1, 11.441173], [0, 3, 0, 1, 1.8787595], [0, 3, 1, 1, 10.94907],
  [0, 4, 1, 0, 0.9677937], [0, 4, 1, 1, 0.9981767], [1, 0, 0, 1, 7.4668903], [1, 0, 2, 1, 17.445834], [1, 1, 0, 1, 6.683678],
  [1, 1, 2, 1, 1.0278899], [1, 2, 0, 0, 225.20515], [1, 2, 0, 1, 19.213238], [1, 3, 0, 0, 176.39318], [1, 3, 0, 1, 24.433010],
  [1, 3, 1, 1, 0.285208], [1, 4, 0, 1, 34.779063], [1, 4, 1, 1, 44.835625], [2, 3, 0, 1, 8.826983], [2, 3, 1, 1, 23.192433],
  [2, 4, 0, 0, 95.10805], [2, 4, 1, 0, 0.9863978], [2, 4, 2, 0, 0.9834383], [2, 4, 1, 1, 171.26673], [2, 4, 2, 1, 0.9807859],
];
const light = Float32Array.from({ length: 256 }, (_, i) => i <= 10 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4);
const bell = [0, 1, 2, 3, 4, 5].map(x => Math.exp(-x * x / 4.5)), whole = bell.reduce((a, b) => a + 2 * b, -bell[0]);

// Linear red, green and blue, over middle grey where transparent.
const linear = ({ data, width, height }) => {
  const planes = [0, 1, 2].map(() => new Float32Array(width * height));
  for (let i = 0, at = 0; i < width * height; i++, at += 4) {
    const alpha = data[at + 3], behind = 128 * (255 - alpha);
    for (let band = 0; band < 3; band++) planes[band][i] = light[Math.floor((data[at + band] * alpha + behind) / 255)];
  }
  return { planes, width, height };
};
const halved = ({ planes, width, height }) => {
  const w = width + 1 >> 1, h = height + 1 >> 1;
  return { width: w, height: h, planes: planes.map(p => {
    const made = new Float32Array(w * h);
    for (let row = 0, i = 0; row < h; row++) {
      const y = row * 2 * width, below = row * 2 + 1 < height ? y + width : y;
      for (let column = 0; column < w; column++) {
        const x = column * 2, right = Math.min(x + 1, width - 1);
        made[i++] = (p[y + x] + p[y + right] + p[below + x] + p[below + right]) / 4;
      }
    }
    return made;
  }) };
};
// One channel of XYB (ISO/IEC 18181-1 Annex L), shifted to be positive.
const opsin = ({ planes: [r, g, b] }, channel) => {
  const bias = 0.0037930733, least = Math.cbrt(bias), made = new Float32Array(r.length);
  for (let i = 0; i < r.length; i++) {
    const long = Math.cbrt(0.3 * r[i] + 0.622 * g[i] + 0.078 * b[i] + bias) - least;
    const medium = Math.cbrt(0.23 * r[i] + 0.692 * g[i] + 0.078 * b[i] + bias) - least, luma = (long + medium) / 2;
    made[i] = channel === 0 ? 7 * (long - medium) + 0.42
      : channel === 1 ? luma + 0.01 : Math.cbrt(0.24342269 * r[i] + 0.20476745 * g[i] + 0.55180987 * b[i] + bias) - least - luma + 0.55;
  }
  return made;
};
// A Gaussian blur with a standard deviation of 1.5 pixels; outside is 0.
const blurred = (p, width, height) => {
  const along = (from, size, step, lines, stride) => {
    const made = new Float32Array(from.length);
    for (let line = 0; line < lines; line++) {
      for (let at = 0, i = line * stride; at < size; at++, i += step) {
        let sum = bell[0] * from[i];
        for (let k = 1; k < 6; k++) {
          if (at >= k) sum += bell[k] * from[i - k * step];
          if (at + k < size) sum += bell[k] * from[i + k * step];
        }
        made[i] = sum / whole;
      }
    }
    return made;
  };
  return along(along(p, width, 1, height, width), height, width, width, 1);
};
const product = (a, b) => {
  const made = new Float32Array(a.length);
  for (let i = 0; i < a.length; i++) made[i] = a[i] * b[i];
  return made;
};
const add = (sum, value) => {
  if (value <= 0) return;
  sum[0] += value;
  sum[1] += value * value * value * value;
};
// The mean, and the fourth root of the mean fourth power, of each kind.
const measured = (a, b, { width, height }) => {
  const blur = p => blurred(p, width, height), [ma, mb, aa, bb, ab] = [a, b, product(a, a), product(b, b), product(a, b)].map(blur);
  const sums = [0, 1, 2].map(() => [0, 0]);
  for (let i = 0; i < a.length; i++) {
    const off = ma[i] - mb[i], edges = (1 + Math.abs(b[i] - mb[i])) / (1 + Math.abs(a[i] - ma[i])) - 1;
    const structure = 1 - (1 - off * off) * (2 * (ab[i] - ma[i] * mb[i]) + 0.0009) / (aa[i] - ma[i] ** 2 + bb[i] - mb[i] ** 2 + 0.0009);
    add(sums[0], structure);
    add(sums[1], edges);
    add(sums[2], -edges);
  }
  return sums.map(([mean, fourth]) => [mean / a.length, (fourth / a.length) ** 0.25]);
};

// Both are ImageData of one size; null for images that are too small to be scored.
export const score = (reference, made) => {
  if (Math.min(reference.width, reference.height) < 8) return null;
  let sum = 0;
  for (let scale = 0, a = linear(reference), b = linear(made); scale < 5 && Math.min(a.width, a.height) >= 8; scale++, a = halved(a), b = halved(b)) {
    for (const channel of [0, 1, 2]) {
      const own = terms.filter(t => t[0] === channel && t[1] === scale);
      if (!own.length) continue;
      const found = measured(opsin(a, channel), opsin(b, channel), a);
      for (const [, , kind, peak, weight] of own) sum += weight * found[kind][peak];
    }
  }
  const raw = sum * 0.9562382616834844, bent = 2.326765642916932 * raw - 0.020884521182843837 * raw ** 2 + 6.248496625763138e-5 * raw ** 3;
  return bent > 0 ? 100 - 10 * bent ** 0.6276336467831387 : 100;
};
