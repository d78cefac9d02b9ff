// The distance of two images of one size, as the server's q=auto measures it: a multi-scale SSIM of luma and chroma, 0 for equal ones.
const weights = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333], colours = [0.025, 0.075, 0.075, 0.075], masking = [60, 40, 30, 20, 15];

// Luma and both chroma planes in sixteenths of a level, over middle grey where transparent.
const planes = ({ data, width, height }) => {
  const n = width * height, [l, b, r] = [0, 0, 0].map(() => new Int16Array(n));
  for (let i = 0, j = 0; i < n; i++, j += 4) {
    const a = data[j + 3], grey = (255 - a) * 128;
    const [R, G, B] = a === 255 ? [data[j], data[j + 1], data[j + 2]] : [0, 1, 2].map(k => Math.floor((data[j + k] * a + grey) / 255));
    l[i] = (77 * R + 150 * G + 29 * B) >> 4;
    b[i] = (128 * B - 43 * R - 85 * G) >> 4;
    r[i] = (128 * R - 107 * G - 21 * B) >> 4;
  }
  return [l, b, r].map(values => ({ values, width, height }));
};
const halved = p => {
  const width = p.width >> 1, height = p.height >> 1, values = new Int16Array(width * height), v = p.values;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const u = 2 * y * p.width + 2 * x;
    values[y * width + x] = (v[u] + v[u + 1] + v[u + p.width] + v[u + p.width + 1] + 2) >> 2;
  }
  return { values, width, height };
};
// Sums over blocks of 4 × 4 values, and over the windows of 8 × 8 that four blocks form.
const sums = (p, of) => {
  const columns = p.width >> 2, rows = p.height >> 2, total = new Float64Array(columns * rows);
  for (let y = 0; y < rows * 4; y++) for (let x = 0; x < columns * 4; x++) total[(y >> 2) * columns + (x >> 2)] += of(y * p.width + x);
  return (c, r) => { const i = r * columns + c; return (total[i] + total[i + 1] + total[i + columns] + total[i + columns + 1]) / 64; };
};
const loss = (a, b, mask, shift) => {
  const columns = (a.width >> 2) - 1, rows = (a.height >> 2) - 1, v = a.values, w = b.values;
  if (columns < 1 || rows < 1) return 0;
  const [ma, mb] = [sums(a, i => v[i]), sums(b, i => w[i])], [qa, qb] = [sums(a, i => v[i] * v[i]), sums(b, i => w[i] * w[i])];
  const d = sums(b, i => (v[i] - w[i]) ** 2);
  let total = 0;
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) {
    const m = ma(c, r), n = mb(c, r), off = m - n;
    const lost = Math.max(0, d(c, r) - off * off) / (Math.max(0, qa(c, r) - m * m) + Math.max(0, qb(c, r) - n * n) + mask * 256) + off * off / (shift * 256);
    total += lost * lost;
  }
  return Math.sqrt(total / (rows * columns));
};
const compare = (a, b, weights, factor) => {
  const masks = masking.slice(-weights.length);
  let sum = 0, weight = 0;
  for (let i = 0; i < weights.length && Math.min(a.width, a.height) >= 16; i++, a = halved(a), b = halved(b)) {
    sum += weights[i] * loss(a, b, masks[i] * factor, 100 * factor);
    weight += weights[i];
  }
  return [sum, weight];
};

// Both are ImageData of one size.
export const distance = (reference, made) => {
  const a = planes(reference), b = planes(made);
  let [sum, weight] = compare(a[0], b[0], weights, 1);
  for (const i of [1, 2]) sum += compare(halved(a[i]), halved(b[i]), colours, 4)[0];
  return 80 * sum / Math.max(weight, weights[0]);
};
