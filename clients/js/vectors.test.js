import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  Edgeprint, RequestError, SigningEdgeprint, blurHash, cacheStatus, dataURL, importKey, markPath, markText, scopeText,
  serverTiming, signature, signed, sized, target, thumbHash, withParameters,
} from "./edgeprint.js";

// Debian 12 has Node 18, where this is not global yet.
globalThis.crypto ??= webcrypto;

const vectors = name => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
const subject = each => each.remote ?? `${each.source}/${each.path}`;
const options = ({ exp, scope, form }) => ({ exp, scope, form });

/** Defines a test for each case of a list. */
function each(title, cases, body) {
  assert.ok(cases.length > 0);
  for (const one of cases) test(`${title}: ${one.name}`, () => body(one));
}

each("URL", vectors("urls").cases, one => {
  assert.equal(target(subject(one), one.parameters, options(one)), one.target);
  if (one.base) assert.equal(new Edgeprint({ base: one.base }).url(subject(one), one.parameters, options(one)), one.url);
});

each("watermark", vectors("watermarks").cases, one => {
  const value = "text" in one ? markText(one.text) : markPath(`${one.source}/${one.path}`);
  assert.equal(value, one.value);
  assert.equal(target("photos/cat.jpg", { watermark: value }), one.target);
});

each("refused", vectors("refusals").cases.filter(one => one.by === "client"), one => {
  assert.throws(() => target(subject(one), one.parameters), error =>
    error instanceof RequestError && error.parameter === one.parameter);
});

test("text that is not Unicode is refused", () => {
  assert.throws(() => target("photos/\ud800.jpg"), { parameter: "path" });
  assert.throws(() => target("photos/cat.jpg", { filename: "\udc00" }), { parameter: "filename" });
});

test("parameters are an object or pairs", () => {
  const expected = "/photos/cat.jpg?w=400&lossless=1&blur=2&blur=3";
  const own = { w: 400, h: undefined, q: null, lossless: true, blur: [2, 3] };
  assert.equal(target("photos/cat.jpg", own), expected);
  assert.equal(target("photos/cat.jpg", Object.entries(own)), expected);
  assert.equal(target("photos/cat.jpg", new Map(Object.entries(own))), expected);
});

const signatures = vectors("signatures");
const key = await importKey(signatures.key);

each("signature", [...signatures.cases, ...signatures.sites], async one => {
  assert.equal(await signature(key, one.target), one.sig);
  assert.equal(await signed(signatures.key, one.target), one.signed);
  const images = new SigningEdgeprint({ key, base: one.base, prefix: one.prefix, remote: true });
  assert.equal(await images.url(subject(one), one.parameters, options(one)), one.url ?? one.signed);
});

each("signature", signatures.keys, async one => assert.equal(await signed(one.key, one.target), one.signed));

each("scope", signatures.scopes, async one => {
  const images = new SigningEdgeprint({ key: signatures.key, base: one.base, remote: true });
  assert.equal(await images.url(subject(one), one.parameters, options(one)), one.url ?? one.signed);
  assert.equal(await images.url(subject(one), {}, options(one)), (one.base ?? "") + one.open);
  assert.equal(await signature(key, `${one.open.split("&sig=")[0]}&w=1`), one.sig);
});

each("scope of entries", signatures.scopeTexts, async one => {
  assert.equal(scopeText(one.entries), one.scope);
  assert.equal(await signed(key, target("photos/cat.jpg", {}, { scope: one.scope })), one.open);
});

test("the ends of a scope's ranges are numbers that the server reads", () => {
  assert.equal(scopeText([{ name: "blur", values: [[1e-5, "2.5"], [-5, 999_999_999]] }]), "blur:0.00001-2.5|-5-999999999");
  for (const end of [Infinity, NaN, 1e9, 1e21, "auto", "", "-", "1e3", null]) {
    assert.throws(() => scopeText([{ name: "w", values: [[0, end]] }]), { name: "RequestError", parameter: "scope" }, `${end}`);
  }
});

test("a key must be hexadecimal and of a valid length", async () => {
  for (const wrong of ["", "ab".repeat(15), "ab".repeat(129), "zz".repeat(32), "a".repeat(33)]) {
    await assert.rejects(importKey(wrong), TypeError);
    await assert.rejects(new SigningEdgeprint({ key: wrong }).url("photos/cat.jpg"), TypeError);
  }
});

test("a prefix begins with a slash, and does not end with one", () => {
  for (const prefix of ["blog", "/blog/", "/"]) assert.throws(() => new Edgeprint({ prefix }), { parameter: "prefix" }, prefix);
});

test("a signing client refuses URLs of other servers unless they are enabled", async () => {
  const url = "https://images.example.com/cat.png";
  for (const remote of [undefined, false, null]) {
    const images = new SigningEdgeprint({ key, remote });
    for (const subject of [url, url.toUpperCase(), "data:image/png;base64,AA=="]) {
      await assert.rejects(images.url(subject), { name: "RequestError", parameter: "url" });
      await assert.rejects(images.srcset(subject, { widths: [320] }, { remote: undefined }), { parameter: "url" });
    }
    assert.match(await images.url(url, {}, { remote: true }), /^\/fetch\?url=.*&sig=/);
  }
  assert.match(await new SigningEdgeprint({ key, remote: true }).url(url), /^\/fetch\?url=.*&sig=/);
  assert.throws(() => new Edgeprint({ remote: false }).url(url), { parameter: "url" });
});

test("options that a call does not state are the client's", () => {
  const images = new Edgeprint({ exp: 4000000000 });
  assert.equal(images.url("p/a.jpg", {}, { exp: undefined, scope: undefined }), "/p/a.jpg?exp=4000000000");
  assert.equal(images.url("p/a.jpg", {}, { exp: null }), "/p/a.jpg");
  assert.equal(target("p/a.jpg", {}, { exp: null, scope: null }), "/p/a.jpg");
  for (const exp of [NaN, -1, 4000000000000]) assert.throws(() => target("p/a.jpg", {}, { exp }), { parameter: "exp" });
});

test("numbers have six decimal places at most, and no exponent", () => {
  const numbers = [[1e-5, "0.00001"], [1e-7, "0"], [0.1 + 0.2, "0.3"], [-1.5, "-1.5"], [-0, "0"], [400, "400"], [1e21, "1" + "0".repeat(21)]];
  for (const [number, text] of numbers) assert.equal(target("p/a.jpg", { blur: number }), `/p/a.jpg?blur=${text}`);
  assert.equal(withParameters("/p/a.jpg", { blur: 1e-5 }), "/p/a.jpg?blur=0.00001");
});

test("parameters of an iterator count in every URL", async () => {
  const parameters = () => new Map([["q", 75]]).entries();
  const images = new SigningEdgeprint({ key });
  assert.equal(await images.url("p/a.jpg", parameters()), await signed(key, "/p/a.jpg?q=75"));
  const html = await images.picture("p/a.jpg", {
    sources: [{ parameters: parameters(), densities: [1, 2] }], img: { parameters: parameters(), widths: [320, 640] },
  });
  assert.equal(html.match(/q=75/g).length, 5, html);
});

test("widths drop dpr, and need a width from which they scale a height", () => {
  const images = new Edgeprint();
  const set = (parameters, widths) => images.srcset("p/a.jpg", { parameters, widths });
  assert.equal(set({ w: 100, dpr: 2 }, [320]), "/p/a.jpg?w=320 320w");
  assert.equal(set({ dpr: 2, q: 75 }, [320, 640]), "/p/a.jpg?w=320&q=75 320w, /p/a.jpg?w=640&q=75 640w");
  assert.throws(() => set({ h: 300 }, [640]), { name: "RequestError", parameter: "h" });
  assert.throws(() => set({ w: 0, h: 3 }, [640]), { name: "RequestError", parameter: "w" });
});

const client = one =>
  one.signed ? new SigningEdgeprint({ key, base: one.base, ...options(one) }) : new Edgeprint({ base: one.base, ...options(one) });

each("srcset", vectors("srcset").cases, async one =>
  assert.equal(await client(one).srcset(subject(one), one), one.srcset));

for (const one of vectors("srcset").refusals ?? []) {
  test(`refused srcset: ${one.name}`, () =>
    assert.rejects(async () => client(one).srcset(subject(one), one), { name: "RequestError", parameter: one.parameter }));
}

each("picture", vectors("srcset").pictures, async one => {
  const img = { ...one.img, attributes: Object.fromEntries(one.img.attributes ?? []) };
  assert.equal(await client(one).picture(subject(one), { sources: one.sources, img }), one.html);
});

const near = (picture, one) => {
  assert.deepEqual([picture.width, picture.height], [one.width, one.height]);
  const expected = Buffer.from(one.rgba, "base64");
  assert.equal(picture.rgba.length, expected.length);
  picture.rgba.forEach((byte, index) => assert.ok(Math.abs(byte - expected[index]) <= 1, `byte ${index}`));
};

const placeholders = vectors("placeholders");
each("ThumbHash", placeholders.thumbhash, one => near(thumbHash(one.hash), one));
each("BlurHash", placeholders.blurhash, one => near(blurHash(one.hash, one.width, one.height), one));

test("what is no hash has no pixels", () => {
  for (const text of placeholders.notThumbhash) assert.equal(thumbHash(text), null, text);
  for (const text of placeholders.notBlurhash) assert.equal(blurHash(text), null, text);
});

test("a placeholder becomes a PNG", async () => {
  const { inflateSync, crc32 } = await import("node:zlib");
  for (const [width, height] of [[32, 21], [200, 100]]) {
    const rgba = Uint8ClampedArray.from({ length: width * height * 4 }, (_, index) => index * 7);
    const file = Buffer.from(dataURL({ width, height, rgba }).replace("data:image/png;base64,", ""), "base64");
    const chunks = [];
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
      const length = file.readUInt32BE(at);
      const body = file.subarray(at + 4, at + 8 + length);
      if (crc32) assert.equal(file.readUInt32BE(at + 8 + length), crc32(body));
      chunks.push([body.subarray(0, 4).toString(), body.subarray(4)]);
    }
    assert.deepEqual(chunks.map(([name]) => name), ["IHDR", "IDAT", "IEND"]);
    const rows = inflateSync(chunks[1][1]); // Verifies the sum of the data.
    assert.equal(rows.length, height * (1 + width * 4));
    for (let row = 0; row < height; row++) {
      const start = row * (1 + width * 4);
      assert.equal(rows[start], 0);
      assert.deepEqual([...rows.subarray(start + 1, start + 1 + width * 4)], [...rgba.subarray(row * width * 4, (row + 1) * width * 4)]);
    }
  }
});

const status = vectors("cache-status");
each("Cache-Status", [...status.cacheStatus, ...status.otherCaches], one => assert.deepEqual(cacheStatus(one.value), one.members));
each("Server-Timing", [...status.serverTiming, ...status.otherServers], one => assert.deepEqual(serverTiming(one.value), one.metrics));

test("the module can be imported where the interfaces of a browser are incomplete", async () => {
  const defined = [];
  const imitation = {
    customElements: { get() {}, define: name => defined.push(name) }, HTMLElement: class {}, CSSStyleSheet: class {},
    matchMedia() {}, ResizeObserver: class {},
  };
  for (const missing of ["customElements", "HTMLElement", "CSSStyleSheet", "matchMedia", "ResizeObserver", ""]) {
    const names = Object.keys(imitation).filter(name => name !== missing);
    for (const name of names) globalThis[name] = imitation[name];
    try {
      assert.equal(typeof (await import(`./edgeprint.js?without=${missing}`)).target, "function", missing);
    } finally {
      for (const name of names) delete globalThis[name];
    }
  }
  assert.deepEqual(defined, []);
});

test("a missing field says nothing", () => {
  assert.deepEqual(cacheStatus(null), []);
  assert.deepEqual(serverTiming(null), []);
});

test("Server-Timing: malformed members are skipped alone", () => {
  const names = value => serverTiming(value).map(each => each.name);
  for (const value of ["a;dur=1, , b;dur=2", ",a;dur=1,b,", "a, @, b", 'a, x@;desc="y, z", b', 'a, x@;desc="\\",", b', "a;y=@, a, b c, b"]) {
    assert.deepEqual(names(value), ["a", "b"], value);
  }
  assert.deepEqual(serverTiming("a;dur=1, b;dur=0.5").map(each => each.duration), [1, 0.5]);
  for (const text of ["inf", "nan", "0x10", "-1", "+1", "1e3", "1_0", ".5"]) {
    assert.deepEqual(serverTiming(`a;dur=${text}`), [{ name: "a" }], text);
  }
  assert.deepEqual(serverTiming("a;dur=1."), [{ name: "a" }]);
});

test("a URL gets another width, unless it is signed as a whole", () => {
  assert.equal(sized("/p/a.jpg", 320), "/p/a.jpg?w=320");
  assert.equal(sized("/p/a.jpg?preset=card", 320), "/p/a.jpg?preset=card&w=320");
  assert.equal(withParameters("/p/a.jpg?preset=card&q=75", { w: 320 }), "/p/a.jpg?preset=card&w=320&q=75");
  assert.equal(sized("/p/a.jpg?blur=2", 320, 1.5), "/p/a.jpg?w=320&blur=2&dpr=1.5");
  assert.equal(sized("/p/a.jpg?crop=50%25x50%25&w=600&h=401&fit=cover", 320), "/p/a.jpg?crop=50%25x50%25&w=320&h=214&fit=cover");
  assert.equal(sized("/p/a.jpg?dpr=2&w=1&scope=w:1-999&sig=x", 320), "/p/a.jpg?dpr=1&w=320&scope=w:1-999&sig=x");
  assert.equal(sized("/p/a.jpg?w=1&&sig=x", 320, 2), "/p/a.jpg?w=1&&sig=x");
  assert.equal(withParameters("/p/a.jpg?w=1&&sig=x", { w: 320 }), "/p/a.jpg?w=1&&sig=x");
});

test("parameters of a URL are replaced where they stand", () => {
  assert.equal(withParameters("/photos/a%20b.jpg", { blur: 2, w: 400 }), "/photos/a%20b.jpg?w=400&blur=2");
  assert.equal(withParameters("/p/a.jpg", {}), "/p/a.jpg");
  assert.equal(withParameters("/p/a.jpg?blur=2&w=1&q=a%3Db", { w: 400, q: 75 }), "/p/a.jpg?blur=2&w=400&q=75");
  assert.equal(withParameters("/p/a.jpg?w=1&blur=2&q=75&blur=3", { blur: 4 }), "/p/a.jpg?w=1&blur=4&q=75");
  assert.equal(withParameters("/p/a.jpg?blur=2&w=1", { blur: [3, 4] }), "/p/a.jpg?blur=3&blur=4&w=1");
  assert.throws(() => withParameters("/p/a.jpg", { w: "" }), { parameter: "w" });
  assert.throws(() => withParameters("/p/a.jpg", { sig: "x" }), { parameter: "sig" });
});

test("a fragment stays behind the query", () => {
  assert.equal(sized("/p/a.jpg#a?b", 320), "/p/a.jpg?w=320#a?b");
  assert.equal(withParameters("/p/a.jpg?blur=2#a&sig=x", { w: 1 }), "/p/a.jpg?w=1&blur=2#a&sig=x");
});
