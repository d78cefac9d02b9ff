import assert from "node:assert/strict";
import { test } from "node:test";
import { astroService, nextLoader, nuxtProvider, unpicProvider } from "./edgeprint.js";

const base = "https://img.example.com";
const scoped = `${base}/photos/cat.jpg?scope=w:1-9999&sig=x`;

test("next/image: paths, URLs and other hosts", () => {
  const loader = nextLoader({ base: base + "/" });
  const expected = `${base}/photos/cat.jpg?w=640`;
  for (const src of ["photos/cat.jpg", "/photos/cat.jpg", `${base}/photos/cat.jpg`]) {
    assert.equal(loader({ src, width: 640 }), expected);
  }
  const encoded = `${base}/photos/a%20b%20%C3%BC.jpg?w=640&q=75`;
  assert.equal(loader({ src: "/photos/a b%20ü.jpg", width: 640, quality: 75 }), encoded);
  assert.equal(loader({ src: `${base}/photos/a b.jpg`, width: 640 }), `${base}/photos/a%20b.jpg?w=640`);
  const remote = `${base}/fetch?w=64&url=https:%2F%2Fimages.example.com%2Fcat.png`;
  assert.equal(loader({ src: "https://images.example.com/cat.png", width: 64 }), remote);
  assert.equal(loader({ src: scoped, width: 640 }), `${base}/photos/cat.jpg?w=640&scope=w:1-9999&sig=x`);
  assert.equal(nextLoader()({ src: "/photos/cat.jpg", width: 64 }), "/photos/cat.jpg?w=64");
  const whole = `${base}/photos/cat.jpg?w=400&sig=x`;
  assert.equal(loader({ src: whole, width: 640, quality: 75 }), whole);
  for (const own of [loader, nextLoader()]) {
    assert.throws(() => own({ src: "//other.example/cat.jpg", width: 640 }), { name: "RequestError", parameter: "path" });
  }
  const eco = nextLoader({ base, q: "auto:eco" });
  assert.equal(eco({ src: "/photos/cat.jpg", width: 64, quality: 75 }), `${base}/photos/cat.jpg?w=64&q=auto:eco`);
});

test("Nuxt Image: modifiers", () => {
  const check = (modifiers, query) =>
    assert.equal(nuxtProvider.getImage("/photos/cat.jpg", { modifiers, baseURL: base }).url, `${base}/photos/cat.jpg${query}`);
  const size = { width: 400, height: 300 };
  check({}, "");
  check(size, "?w=400&h=300&fit=cover");
  check({ ...size, fit: "cover", format: "webp", quality: 75 }, "?w=400&h=300&fit=cover&format=webp&q=75");
  check({ ...size, fit: "contain", background: "#ff8800" }, "?w=400&h=300&fit=pad&bg=ff8800");
  check({ ...size, fit: "inside", blur: 3 }, "?w=400&h=300&fit=contain&blur=3");
  check({ width: 400, fit: "inside", round: "max" }, "?w=400&round=max");
  check({ fit: "cover", blur: 3 }, "?blur=3");
  assert.equal(nuxtProvider.getImage("/photos/cat.jpg").url, "/photos/cat.jpg");
});

const config = { service: { config: { base } } };
const file = { src: "/site/_astro/cat.abc.jpg", width: 3000, height: 2000, format: "jpg" };

test("Astro: URLs", () => {
  const check = (options, url) => assert.equal(astroService.getURL(options, config), base + url);
  check({ src: "/photos/cat.jpg", width: 400, height: 300 }, "/photos/cat.jpg?w=400&h=300");
  check({ src: file, width: 600 }, `${file.src}?w=600&h=400`);
  check({ src: file, height: 200, format: "jpg", quality: "high" }, `${file.src}?w=300&h=200&format=jpeg&q=auto:good`);
  check(
    { src: file, width: 400, height: 400, fit: "cover", position: "left top", quality: 70 },
    `${file.src}?w=400&h=400&fit=cover&gravity=northwest&q=70`,
  );
});

test("Astro: srcset and attributes", () => {
  const set = options => astroService.getSrcSet(options)
    .map(({ transform, descriptor }) => `${astroService.getURL(transform, config)} ${descriptor}`);
  const name = `${base}/site/_astro/cat.abc.jpg`;
  assert.deepEqual(set({ src: file, width: 600, widths: [300, 600] }), [`${name}?w=300&h=200 300w`, `${name}?w=600&h=400 600w`]);
  assert.deepEqual(set({ src: file, width: 600, densities: [1, "1.5x"] }), [`${name}?w=600&h=400 1x`, `${name}?w=900&h=600 1.5x`]);
  assert.deepEqual(set({ src: file, width: 600 }), []);
  assert.deepEqual(
    astroService.getHTMLAttributes({ src: file, width: 600, quality: 70, alt: "Cat", loading: "eager", widths: [300] }),
    { loading: "eager", decoding: "async", alt: "Cat", width: 600, height: 400 },
  );
});

test("unpic: generate, extract and transform", () => {
  const { generate, extract, transform } = unpicProvider({ base });
  const url = `${base}/photos/cat.jpg?w=400&h=300&q=75&format=webp&fit=cover`;
  const operations = { width: 400, height: 300, quality: 75, format: "webp" };
  assert.equal(generate("/photos/cat.jpg", operations), url);
  assert.equal(generate("/photos/cat.jpg", { ...operations, fit: "fill" }), url.replace("cover", "fill"));
  assert.equal(generate(new URL(`${base}/photos/cat.jpg`)), `${base}/photos/cat.jpg`);
  assert.deepEqual(extract(url), {
    src: `${base}/photos/cat.jpg`, operations: { width: "400", height: "300", quality: "75", format: "webp", fit: "cover" },
  });
  assert.equal(transform(url, { width: 800, height: 600 }), url.replace("400", "800").replace("300", "600"));
  assert.equal(transform("photos/cat.jpg", { width: 800 }), `${base}/photos/cat.jpg?w=800`);
});

test("unpic: what cannot be said in operations stays in the URL", () => {
  const { extract, transform } = unpicProvider({ base });
  for (const url of [scoped, `${base}/photos/cat.jpg?blur=2&blur=3`, `${base}/fetch?url=https:%2F%2Fx`, "https://other.example/cat.jpg"]) {
    assert.equal(extract(url), null, url);
  }
  assert.equal(transform(`${base}/photos/cat.jpg?blur=2&blur=3`, { width: 64 }), `${base}/photos/cat.jpg?w=64&blur=2&blur=3`);
  assert.equal(transform(`${base}/photos/cat.jpg?w=400&sig=x`, { width: 64 }), `${base}/photos/cat.jpg?w=400&sig=x`);
  assert.equal(transform(`${base}/photos/cat.jpg?exp=4000000000`, { width: 64 }), `${base}/photos/cat.jpg?w=64&exp=4000000000`);
  assert.equal(transform(scoped, { width: 64 }), `${base}/photos/cat.jpg?w=64&scope=w:1-9999&sig=x`);
});
