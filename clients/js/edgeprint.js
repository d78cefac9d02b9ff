/**
 * Builds and signs Edgeprint's URLs, decodes placeholders, reads its response headers, and defines the element `<edge-picture>`.
 *
 * One ES module without dependencies, for browsers, Node 18, Deno, Bun and edge runtimes. `edgeprint.d.ts` documents the exports.
 */

// URLs

/** A request that cannot be built. */
export class RequestError extends Error {
  name = "RequestError";

  constructor(parameter, reason) {
    super(`${parameter} ${reason}`);
    this.parameter = parameter;
  }
}

/** The parameters that the builder writes itself. */
const reserved = new Set(["sig", "exp", "scope", "url", "url64", "enc"]);

const checked = (text, parameter) => {
  if (/[\0-\x1f\x7f-\x9f]/.test(text)) throw new RequestError(parameter, "has a control character");
  if (/\p{Surrogate}/u.test(text)) throw new RequestError(parameter, "is not valid Unicode");
  return text;
};

/** Encodes a name or value of a query: everything but unreserved characters, `,` and `:` (RFC 3986 §2.3). */
const encodedValue = text =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, each => "%" + each.charCodeAt(0).toString(16).toUpperCase())
    .replace(/%2C/g, ",").replace(/%3A/g, ":");

/** Encodes a path: everything that a path may not contain, except slashes (RFC 3986 §3.3). */
const encodedPath = text => encodeURIComponent(text).replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent);

const isURL = text => /^(?:https?:\/\/|data:)/i.test(text);

function path(subject) {
  checked(subject, "path");
  if (subject.split(/[/\\]/).some(each => each === "." || each === "..")) throw new RequestError("path", "has a dot segment");
  if (/^(?:\/?$|\/\/)/.test(subject)) throw new RequestError("path", "must begin with the name of a source");
  return encodedPath(subject.startsWith("/") ? subject : "/" + subject);
}

const base64url = bytes => base64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const base64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));

/** A value as text: numbers without an exponent, and with the six decimal places that the server reads. */
function textOf(value) {
  if (typeof value === "boolean") return String(Number(value));
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  return String(Number.isInteger(value) ? BigInt(value) : Number(value.toFixed(6)));
}

/** The pairs of an object or of pairs: a list is a parameter for each of its values, `undefined` and `null` are none. */
const pairs = parameters =>
  (parameters[Symbol.iterator] ? [...parameters] : Object.entries(parameters)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(each => each !== undefined && each !== null)
      .map(each => [name, textOf(each)]));

/** A pair, encoded for a query. */
function encodedPair([name, value]) {
  if (reserved.has(name)) throw new RequestError(name, "cannot be given as a parameter: it is generated");
  if (value === "") throw new RequestError(name, "has no value");
  return [encodedValue(checked(name, "name")), encodedValue(checked(value, name))];
}

const withoutSlash = base => base.replace(/\/$/, "");

export function target(subject, parameters = {}, { exp, scope, form, remote = true } = {}) {
  const isRemote = isURL(subject);
  const query = [];
  if (isRemote) {
    if (!remote) throw new RequestError("url", "cannot be that of another server: remote is not enabled");
    checked(subject, "url");
    query.push(form === "base64" ? `url64=${base64url(new TextEncoder().encode(subject))}` : `url=${encodedValue(subject)}`);
  }
  query.push(...pairs(parameters).map(pair => encodedPair(pair).join("=")));
  if (scope !== undefined && scope !== null) query.push(`scope=${encodedValue(checked(scope, "scope"))}`);
  if (exp !== undefined && exp !== null) {
    if (!(exp >= 0 && exp < 1e12)) throw new RequestError("exp", "must be a time in seconds since 1970");
    query.push(`exp=${Math.trunc(exp)}`);
  }
  return (isRemote ? "/fetch" : path(subject)) + (query.length ? "?" + query.join("&") : "");
}

/** Pairs where other values of a parameter stand in place of its own, or are inserted: `w` behind a preset, whose steps come first. */
function assigned(list, name, values) {
  const place = list.findIndex(([each]) => each === name);
  const result = list.filter(([each]) => each !== name);
  const end = name === "w" ? result.findIndex(([each]) => each === "preset") + 1 : result.length;
  result.splice(place >= 0 ? place : end, 0, ...values.map(value => [name, value]));
  return result;
}

/** Pairs for another width; `h` beside `w` is scaled alike. */
function resized(list, width) {
  const { w, h } = Object.fromEntries(list);
  const result = assigned(list, "w", [textOf(width)]);
  return w > 0 && h > 0 ? assigned(result, "h", [String(Math.max(1, Math.floor((h * width) / w + 0.5)))]) : result;
}

const dense = (list, density) => assigned(list, "dpr", [textOf(density)]);

/** Changes the query of a URL without decoding it, unless it is signed as a whole. */
function edited(url, change) {
  const [, place, query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url);
  const list = query.split("&").filter(Boolean).map(each => each.split(/=(.*)/s).slice(0, 2));
  const has = name => list.some(([each]) => each === name);
  if (has("sig") && !has("scope")) return url;
  const changed = change(list).map(pair => pair.join("=")).join("&");
  return (changed ? `${place}?${changed}` : place) + fragment;
}

export const withParameters = (url, parameters) =>
  edited(url, list => {
    const values = new Map();
    for (const [name, value] of pairs(parameters).map(encodedPair)) values.set(name, [...(values.get(name) ?? []), value]);
    return [...values].reduce((result, [name, own]) => assigned(result, name, own), list);
  });

export const sized = (url, width, density = 1) =>
  edited(url, list => {
    const result = resized(list, width);
    return density === 1 && !list.some(([name]) => name === "dpr") ? result : dense(result, density);
  });

const separators = text => text.replace(/[%,|:!*-]/g, each => "%" + each.charCodeAt(0).toString(16).toUpperCase());

/** The end of a range; others than numbers of the server's would make the range a text. */
function rangeEnd(value) {
  const text = textOf(value);
  if (/^-?(?=[\d.])\d{0,9}(?:\.\d+)?$/.test(text)) return text;
  throw new RequestError("scope", `has a range with ${text}, which is no number below 10^9`);
}

export const scopeText = entries =>
  entries.map(({ name, required, values }) => {
    const alternatives = values?.map(each => (Array.isArray(each) ? each.map(rangeEnd).join("-") : separators(textOf(each)))) ?? ["*"];
    return `${separators(name)}${required ? "!" : ""}:${alternatives.join("|")}`;
  }).join(",");

export const markText = text => "text:" + text.replace(/[%,]/g, encodeURIComponent);

export const markPath = subject => path(subject).slice(1).replace(/,/g, "%2C");

// Signatures

export async function importKey(key) {
  if (!/^(?:[0-9a-f]{2}){16,128}$/i.test(key)) throw new TypeError("A key has 32 to 256 hexadecimal digits.");
  const bytes = Uint8Array.from(key.match(/../g), each => parseInt(each, 16));
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

export async function signature(key, target) {
  const [place, query = ""] = target.split(/\?(.*)/s);
  const list = query.split("&");
  const isScoped = list.some(pair => pair.startsWith("scope="));
  const signed = isScoped ? list.filter(pair => /^(?:scope|exp)=/.test(pair)) : list;
  const message = new TextEncoder().encode(`${place}?${signed.join("&")}`);
  const code = await crypto.subtle.sign("HMAC", typeof key === "string" ? await importKey(key) : key, message);
  return base64url(new Uint8Array(code));
}

export const signed = async (key, target) =>
  `${target}${target.includes("?") ? "&" : "?"}sig=${await signature(key, target)}`;

// Markup

const escaped = text =>
  String(text).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const tag = (name, attributes) =>
  `<${name}${attributes.filter(([, value]) => value !== undefined && value !== null)
    .map(([attribute, value]) => ` ${attribute}="${escaped(value)}"`).join("")}>`;

/** A set whose parameters are pairs, which can be read more than once. */
const settled = set => ({ ...set, parameters: pairs(set.parameters ?? {}) });

/** The candidates of a set: parameters, and what describes them. */
function candidates({ parameters, widths, densities }) {
  if (widths) {
    // A density would multiply the widths, and a height alone would bound them.
    const { w, h } = Object.fromEntries(parameters);
    if (h !== undefined && w === undefined) throw new RequestError("h", "must have a w beside it, from which widths scale it");
    if (h !== undefined && Number(w) === 0) throw new RequestError("w", "must be at least 1");
    const list = parameters.filter(([name]) => name !== "dpr");
    return widths.map(width => [resized(list, width), ` ${textOf(width)}w`]);
  }
  if (densities) return densities.map(density => [dense(parameters, density), ` ${textOf(density)}x`]);
  return [[parameters, ""]];
}

export class Edgeprint {
  #base;
  #prefix;
  #options;

  constructor({ base = "", prefix = "", ...options } = {}) {
    if (prefix && !/^\/.*[^/]$/s.test(prefix)) throw new RequestError("prefix", "must begin with a slash, and not end with one");
    this.#base = withoutSlash(base);
    this.#prefix = prefix;
    this.#options = options;
  }

  url(subject, parameters, options) {
    const list = pairs(parameters ?? {});
    return this.render(address => address(this.#target(subject, list, options)));
  }

  srcset(subject, set, options) {
    const own = settled(set);
    return this.render(address => this.#set(subject, own, options, address));
  }

  picture(subject, { sources = [], img }, options) {
    const [image, ...others] = [img, ...sources].map(settled);
    return this.render(address => {
      const set = each => this.#set(subject, each, options, address);
      const urls = candidates(image).map(([list]) => address(this.#target(subject, list, options)));
      const markup = tag("img", [
        ["src", urls.at(image.widths ? -1 : 0)], ["srcset", image.widths || image.densities ? set(image) : undefined],
        ["sizes", image.sizes], ...Object.entries(image.attributes ?? {}),
      ]);
      if (!others.length) return markup;
      const all = others.map(each => tag("source", [
        ["media", each.media], ["type", each.type], ["srcset", set(each)], ["sizes", each.sizes],
        ["width", each.width], ["height", each.height],
      ]));
      return `<picture>${all.join("")}${markup}</picture>`;
    });
  }

  #set(subject, set, options, address) {
    return candidates(set)
      .map(([list, descriptor]) => address(this.#target(subject, list, options)) + descriptor).join(", ");
  }

  /** The target of a request; the client's own options count where the call has none. */
  #target(subject, list, options = {}) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    return this.#prefix + target(subject, list, { ...this.#options, ...Object.fromEntries(given) });
  }

  /** The text that `write` makes with a function from targets to URLs. */
  render(write) {
    return write(target => this.#base + target);
  }
}

export class SigningEdgeprint extends Edgeprint {
  #key;

  constructor({ key, remote = false, ...options }) {
    super({ ...options, remote });
    this.#key = typeof key === "string" ? importKey(key) : Promise.resolve(key);
    this.#key.catch(() => {});
  }

  /** Signing is asynchronous and writing is not: the first pass collects the targets, the second writes them signed. */
  async render(write) {
    const targets = new Map();
    write(each => (targets.set(each), each));
    const key = await this.#key;
    for (const each of targets.keys()) targets.set(each, await signed(key, each));
    return super.render(address => write(each => address(targets.get(each))));
  }
}

// Placeholders

function bytesOfBase64(text) {
  try {
    return Uint8Array.from(atob(text), each => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export function thumbHash(text) {
  const hash = bytesOfBase64(text);
  if (hash.length < 5) return null;
  const means = hash[0] | (hash[1] << 8) | (hash[2] << 16);
  const shape = hash[3] | (hash[4] << 8);
  const hasAlpha = means >> 23 === 1;
  const [long, short] = [hasAlpha ? 5 : 7, Math.max(1, shape & 7)];
  const [columns, rows] = shape >> 15 ? [long, short] : [short, long];
  let place = hasAlpha ? 12 : 10; // in half bytes
  /** A channel: its mean, and `[column, row, amplitude]` of each wave. */
  const channel = (mean, columns, rows, scale) => {
    const waves = [];
    for (let row = 0; row < rows; row++) {
      for (let column = row ? 0 : 1; column * rows < columns * (rows - row); column++, place++) {
        const nibble = (hash[place >> 1] >> (place & 1 ? 4 : 0)) & 15;
        waves.push([column, row, (nibble / 7.5 - 1) * scale]);
      }
    }
    return (x, y) => waves.reduce((sum, [column, row, amplitude]) =>
      sum + 2 * amplitude * Math.cos(Math.PI * column * x) * Math.cos(Math.PI * row * y), mean);
  };
  const luminance = channel((means & 63) / 63, Math.max(3, columns), Math.max(3, rows), ((means >> 18) & 31) / 31);
  // Quantisation makes colours paler: they are saturated by a quarter.
  const yellowBlue = channel(((means >> 6) & 63) / 31.5 - 1, 3, 3, (1.25 * ((shape >> 3) & 63)) / 63);
  const redGreen = channel(((means >> 12) & 63) / 31.5 - 1, 3, 3, (1.25 * ((shape >> 9) & 63)) / 63);
  const alpha = hasAlpha ? channel((hash[5] & 15) / 15, 5, 5, (hash[5] >> 4) / 15) : () => 1;
  if (place > 2 * hash.length) return null;
  const ratio = columns / rows;
  const width = Math.round(ratio > 1 ? 32 : 32 * ratio);
  const height = Math.round(ratio > 1 ? 32 / ratio : 32);
  return drawn(width, height, (x, y) => {
    const at = [(x + 0.5) / width, (y + 0.5) / height];
    const [l, p, q] = [luminance(...at), yellowBlue(...at), redGreen(...at)];
    const blue = l - (2 / 3) * p;
    const red = (3 * l - blue + q) / 2;
    return [red, red - q, blue, alpha(...at)];
  });
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

export function blurHash(text, width = 32, height = 32) {
  const values = Array.from(text, each => digits.indexOf(each));
  if (values.length < 6 || values.includes(-1) || values[0] > 80) return null;
  const [columns, rows] = [(values[0] % 9) + 1, Math.floor(values[0] / 9) + 1];
  if (values.length !== 4 + 2 * columns * rows) return null;
  const number = (start, count) => values.slice(start, start + count).reduce((sum, each) => sum * 83 + each, 0);
  const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const stored = light => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);
  const scale = (values[1] + 1) / 166;
  const mean = number(2, 4);
  const waves = [[mean >> 16, (mean >> 8) & 255, mean & 255].map(each => linear(each / 255))];
  for (let index = 1; index < columns * rows; index++) {
    const value = number(4 + 2 * index, 2);
    waves.push([Math.floor(value / 361), Math.floor(value / 19) % 19, value % 19].map(step => {
      const root = (step - 9) / 9;
      return root * Math.abs(root) * scale;
    }));
  }
  return drawn(width, height, (x, y) => {
    const light = [0, 0, 0];
    waves.forEach((wave, index) => {
      const basis = Math.cos((Math.PI * x * (index % columns)) / width)
        * Math.cos((Math.PI * y * Math.floor(index / columns)) / height);
      for (const channel of [0, 1, 2]) light[channel] += wave[channel] * basis;
    });
    return [...light.map(each => stored(Math.min(1, Math.max(0, each)))), 1];
  });
}

/** Draws pixels from colours of 0 to 1. */
function drawn(width, height, color) {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    // A clamped array rounds halves to even; the server rounds them up.
    rgba.set(color(index % width, Math.floor(index / width)).map(each => Math.round(255 * each)), index * 4);
  }
  return { width, height, rgba };
}

/** A PNG whose data is stored, not compressed (RFC 1950, RFC 1951 §3.2.4, RFC 2083), as a `data:` URL. */
export function dataURL({ width, height, rgba }) {
  const number = value => [24, 16, 8, 0].map(shift => (value >>> shift) & 255);
  const little = value => [value & 255, value >> 8];
  const rows = [];
  for (let row = 0; row < height; row++) rows.push(0, ...rgba.subarray(row * width * 4, (row + 1) * width * 4));
  const blocks = [0x78, 1];
  for (let start = 0; start < rows.length; start += 65535) {
    const block = rows.slice(start, start + 65535);
    blocks.push(start + 65535 >= rows.length ? 1 : 0, ...little(block.length), ...little(~block.length & 65535));
    for (const byte of block) blocks.push(byte);
  }
  let [low, high] = [1, 0];
  for (const byte of rows) high = (high + (low = (low + byte) % 65521)) % 65521;
  const chunk = (name, data) => {
    const body = [...new TextEncoder().encode(name), ...data];
    let crc = ~0;
    for (const byte of body) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return [...number(data.length), ...body, ...number(~crc)];
  };
  return "data:image/png;base64," + base64([
    0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...chunk("IHDR", [...number(width), ...number(height), 8, 6, 0, 0, 0]),
    ...chunk("IDAT", [...blocks, ...number(high * 65536 + low)]), ...chunk("IEND", []),
  ]);
}

// Response headers

const token = /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y;
const string = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
/** The kinds of bare items (RFC 9651 §3.3), which no two begin alike but display strings, which are none of ours. */
const kinds = [
  ["token", token, found => found[0]],
  ["string", string, found => found[1].replace(/\\(.)/g, "$1")],
  ["decimal", /-?\d{1,12}\.\d{1,3}/y, found => Number(found[0])],
  ["integer", /-?\d{1,15}/y, found => Number(found[0])],
  ["boolean", /\?([01])/y, found => found[1] === "1"],
  ["bytes", /:[A-Za-z0-9+/=]*:/y, found => found[0]],
  ["date", /@-?\d{1,15}/y, found => found[0]],
];

/** Reads a text from its beginning. */
class Reader {
  at = 0;

  constructor(text) {
    this.text = text;
  }

  /** Skips what a sticky expression matches at this place. */
  take(expression) {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found) this.at = expression.lastIndex;
    return found;
  }

  /** A bare item, or `undefined`. */
  item() {
    for (const [type, expression, value] of kinds) {
      const found = this.take(expression);
      if (found) return { type, value: value(found) };
    }
  }

  get isAtEnd() {
    return this.at === this.text.length;
  }
}

/** The parameters of `Cache-Status` (RFC 9211 §2), their names here, and their types. */
const statusParameters = {
  hit: ["hit", "boolean"], fwd: ["fwd", "token"], "fwd-status": ["fwdStatus", "integer"], ttl: ["ttl", "integer"],
  stored: ["stored", "boolean"], collapsed: ["collapsed", "boolean"], key: ["key", "string"], detail: ["detail", "token", "string"],
};

export function cacheStatus(value) {
  const reader = new Reader((value ?? "").replace(/^ +| +$/g, ""));
  const members = [];
  while (!reader.isAtEnd) {
    const name = reader.item();
    if (!name) return [];
    const member = { cache: name.value, hit: false };
    for (let found; (found = reader.take(/; *([a-z*][a-z0-9_\-.*]*)/y)); ) {
      const parameter = found[1];
      const item = reader.take(/=/y) ? reader.item() : { type: "boolean", value: true };
      if (!item) return [];
      const [property, ...types] = Object.hasOwn(statusParameters, parameter) ? statusParameters[parameter] : [];
      if (types.includes(item.type)) member[property] = item.value;
    }
    if (name.type === "token" || name.type === "string") members.push(member);
    // A comma before another member, or the end.
    if (!reader.take(/[ \t]*(?:,[ \t]*(?=.)|$)/y)) return [];
  }
  return members;
}

export function serverTiming(value) {
  const word = "[\\w!#$%&'*+\\-.^`|~]+";
  const parameter = new RegExp(`[ \\t]*;[ \\t]*(${word})[ \\t]*(?:=[ \\t]*(?:(${word})|"((?:[^"\\\\]|\\\\.)*)"))?`, "y");
  const name = new RegExp(word, "y");
  const reader = new Reader(value ?? "");
  const metrics = [];
  // Empty members are skipped (RFC 9110 §5.6.1).
  while (reader.take(/[ \t,]*/y) && !reader.isAtEnd) {
    const start = reader.at;
    const metric = { name: reader.take(name)?.[0] };
    const seen = new Set();
    for (let found; metric.name && (found = reader.take(parameter)); ) {
      const key = found[1].toLowerCase();
      const text = found[2] ?? found[3]?.replace(/\\(.)/g, "$1");
      if (text === undefined || seen.has(key)) continue;
      seen.add(key);
      if (key === "dur" && /^\d+(?:\.\d+)?$/.test(text)) metric.duration = Number(text);
      if (key === "desc") metric.description = text;
    }
    if (metric.name && reader.take(/[ \t]*(?:,|$)/y)) {
      metrics.push(metric);
    } else {
      // A malformed member ends at the next comma that is not within quotes.
      reader.at = start;
      reader.take(/(?:"(?:[^"\\]|\\.)*"|[^,])*/y);
    }
  }
  return metrics;
}

// Loaders of frameworks

/** The URL of an image here: of a path below `base`, of such a URL, or of one of another host by way of `/fetch`. */
function located(source, base) {
  const text = String(source);
  const isOurs = base !== "" && text.startsWith(base + "/");
  if (isURL(text) && !isOurs) return base + target(text);
  // A browser would take it for a URL of another host.
  if (!isOurs && text.startsWith("//")) throw new RequestError("path", "must begin with the name of a source");
  const url = isOurs ? text : `${base}/${text.replace(/^\//, "")}`;
  return url.replace(/[^\w\-.~!$&'()*+,;=:@/?%]/gu, encodeURIComponent);
}

/** Removes the `#` of a colour. */
const color = text => text?.replace(/^#/, "");

/** What CSS and other servers call `fit`; `contain` of CSS is `contain` here, that of other servers is `pad`. */
const cssFits = { contain: "contain", cover: "cover", fill: "fill", "scale-down": "contain" };
const otherFits = { contain: "pad", cover: "cover", fill: "fill", inside: "contain", outside: "outside" };

/** `gravity` of an `object-position` in keywords. */
function gravity(position) {
  const words = new Set(position?.split(" "));
  const name = (words.has("top") ? "north" : words.has("bottom") ? "south" : "")
    + (words.has("left") ? "west" : words.has("right") ? "east" : "");
  return name || undefined;
}

export function nextLoader({ base = "", ...parameters } = {}) {
  const place = withoutSlash(base);
  return ({ src, width, quality }) => withParameters(located(src, place), { w: width, q: quality, ...parameters });
}

export const nuxtProvider = {
  getImage(src, { modifiers = {}, baseURL = "" } = {}) {
    const { width, height, quality, format, fit, background, ...steps } = modifiers;
    const url = withParameters(located(src, withoutSlash(baseURL)), {
      w: width || undefined, h: height || undefined, fit: width && height ? otherFits[fit] ?? fit ?? "cover" : undefined,
      ...steps, bg: color(background), format, q: quality,
    });
    return { url };
  },
};

/** The size of an Astro image: missing sides follow from the file. */
function astroSize({ src, width, height }) {
  const ratio = typeof src === "object" ? src.width / src.height : undefined;
  return {
    width: Number(width) || (ratio ? (height ? Math.round(height * ratio) : src.width) : undefined),
    height: Number(height) || (ratio ? Math.round((Number(width) || src.width) / ratio) : undefined),
  };
}

const astroQualities = { low: "auto:low", mid: "auto:eco", high: "auto:good", max: "auto:best" };

export const astroService = {
  getURL(options, imageConfig) {
    const { base = "", ...parameters } = imageConfig?.service?.config ?? {};
    const { src, format, quality, fit, position } = options;
    const { width, height } = astroSize(options);
    const isCut = width && height && cssFits[fit] && cssFits[fit] !== "contain";
    return withParameters(located(typeof src === "object" ? src.src : src, withoutSlash(base)), {
      w: width, h: height, fit: cssFits[fit], gravity: isCut ? gravity(position) : undefined,
      format: format === "jpg" ? "jpeg" : format, q: astroQualities[quality] ?? quality, ...parameters,
    });
  },

  getSrcSet(options) {
    const { width, height } = astroSize(options);
    const { widths, densities, ...rest } = options;
    const attributes = options.format ? { type: `image/${options.format}` } : {};
    const at = (value, descriptor) => ({
      transform: { ...rest, width: value, height: height && width ? Math.round((height * value) / width) : undefined },
      descriptor,
      attributes,
    });
    if (densities) return densities.map(parseFloat).map(each => at(Math.round(width * each), `${each}x`));
    return (widths ?? []).map(each => at(each, `${each}w`));
  },

  getHTMLAttributes(options) {
    const { src, format, quality, fit, position, widths, densities, formats, layout, priority, ...attributes } = options;
    return { loading: "lazy", decoding: "async", ...attributes, ...astroSize(options) };
  },
};

export function unpicProvider({ base = "" } = {}) {
  const place = withoutSlash(base);
  const names = { width: "w", height: "h", quality: "q" };
  const generate = (src, { fit, ...operations } = {}) =>
    withParameters(located(src, place), [
      ...Object.entries(operations).map(([name, value]) => [names[name] ?? name, value]),
      ["fit", fit ?? (operations.width && operations.height ? "cover" : undefined)],
    ]);
  const extract = url => {
    const text = String(url);
    if (!text.startsWith(place + "/")) return null;
    const [src, query] = text.split("?");
    const found = [...new URLSearchParams(query?.replace(/\+/g, "%2B"))];
    if (new Set(found.map(([name]) => name)).size < found.length || /(?:^|&)(?:sig|exp|scope|url|url64|enc)=/.test(query)) return null;
    const own = Object.fromEntries(Object.entries(names).map(each => each.reverse()));
    return { src, operations: Object.fromEntries(found.map(([name, value]) => [own[name] ?? name, value])) };
  };
  const transform = (src, operations) => {
    const found = extract(src);
    return found ? generate(found.src, { ...found.operations, ...operations }) : generate(src, operations);
  };
  return { generate, extract, transform };
}

// <edge-picture>

/**
 * The widths that are requested, in CSS pixels, and the densities: most products are widths again, so that few variants are made.
 */
const ladder = [160, 240, 320, 480, 640, 960, 1280, 1920, 2560];
const densities = [1, 1.5, 2, 3];

/** The time in milliseconds for which a width must last before a larger image than the shown one is requested. */
const patience = 150;

const atLeast = (steps, value) => steps.find(each => each >= value) ?? steps.at(-1);

/** Whether this is a browser, and not one of the imitations on servers, which lack some of these. */
const hasLayout = ["customElements", "HTMLElement", "ResizeObserver", "matchMedia"].every(name => globalThis[name])
  && globalThis.CSSStyleSheet?.prototype.replaceSync !== undefined;

if (hasLayout && !customElements.get("edge-picture")) {
  const common = new CSSStyleSheet();
  // Without the containment, the natural width of what has loaded would determine a width, and that the next request.
  common.replaceSync(`
    :host { display: block; overflow: clip; contain: inline-size; min-inline-size: 0; max-inline-size: 100%; }
    :host([hidden]) { display: none; }
    img { display: block; inline-size: 100%; block-size: 100%; object-fit: inherit; object-position: inherit;
      background: center / 100% 100% no-repeat; }
  `);
  /** Attributes that the element hands to its image. */
  const handed = ["alt", "crossorigin", "decoding", "fetchpriority", "loading", "referrerpolicy"];

  customElements.define("edge-picture", class EdgePicture extends HTMLElement {
    static observedAttributes = ["src", "width", "height", "thumbhash", "blurhash", ...handed];

    static #connected = new Set();
    static #sizes = new ResizeObserver(entries => {
      for (const entry of entries) entry.target.#resized(entry.contentRect.width);
    });

    static #watchDensity() {
      matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
        for (const each of EdgePicture.#connected) each.#fit();
        EdgePicture.#watchDensity();
      }, { once: true });
    }

    static {
      EdgePicture.#watchDensity();
    }

    #image = this.#made();
    /** A larger image that loads while the other one is shown. */
    #next;
    #isShown = false;
    #hasWarned = false;
    #shape = new CSSStyleSheet();
    /** The width of the layout, and that of the image requested last, in pixels of CSS and of the device. */
    #width = 0;
    #requested = 0;
    #timer;

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [common, this.#shape];
      root.append(this.#image);
    }

    connectedCallback() {
      EdgePicture.#connected.add(this);
      EdgePicture.#sizes.observe(this);
    }

    disconnectedCallback() {
      EdgePicture.#connected.delete(this);
      EdgePicture.#sizes.unobserve(this);
    }

    attributeChangedCallback(name, old, value) {
      if (handed.includes(name)) {
        this.#hand(this.#image, name);
        // Outside of the document, a lazy image would never load.
        if (this.#next && name !== "loading") this.#hand(this.#next, name);
      } else if (name === "width" || name === "height") {
        const [width, height] = [Number(this.getAttribute("width")), Number(this.getAttribute("height"))];
        const rules = [
          width > 0 && `contain-intrinsic-inline-size: ${width}px;`, width > 0 && height > 0 && `aspect-ratio: ${width} / ${height};`,
        ];
        this.#shape.replaceSync(`:host { ${rules.filter(Boolean).join(" ")} }`);
      } else if (name === "src") {
        if (old === value) return;
        clearTimeout(this.#timer);
        this.#requested = 0;
        this.#next = undefined;
        this.#isShown = false;
        this.#image.removeAttribute("src");
        this.#blur();
        this.#fit();
      } else {
        this.#blur();
      }
    }

    #hand(image, name) {
      const value = this.getAttribute(name);
      if (value === null) image.removeAttribute(name);
      else image.setAttribute(name, value);
    }

    #made() {
      const image = new Image();
      image.part = "img";
      image.addEventListener("load", () => this.#loaded(image));
      image.addEventListener("error", () => {
        // The smaller image stays.
        if (image === this.#next) this.#next = undefined;
        if (image !== this.#image) return;
        image.style.backgroundImage = "";
        this.dispatchEvent(new Event("error"));
      });
      return image;
    }

    async #loaded(image) {
      if (image === this.#next) {
        // An image that is not decoded could flash.
        await image.decode().catch(() => {});
        if (image !== this.#next) return;
        this.#hand(image, "loading");
        this.#image.replaceWith(image);
        this.#image = image;
        this.#next = undefined;
      }
      if (image !== this.#image) return;
      this.#isShown = true;
      image.style.backgroundImage = "";
      this.dispatchEvent(new Event("load"));
    }

    /** Shows a placeholder until the image has loaded. */
    #blur() {
      const placeholder = this.#isShown ? null
        : thumbHash(this.getAttribute("thumbhash") ?? "") ?? blurHash(this.getAttribute("blurhash") ?? "");
      this.#image.style.backgroundImage = placeholder ? `url(${dataURL(placeholder)})` : "";
    }

    #resized(width) {
      this.#width = width;
      clearTimeout(this.#timer);
      if (this.#requested) this.#timer = setTimeout(() => this.#fit(), patience);
      else this.#fit();
      const isInvisible = width < 0.5 && this.hasAttribute("src") && this.getClientRects().length > 0;
      if (!isInvisible || this.#hasWarned) return;
      this.#hasWarned = true;
      console.warn("<edge-picture> requests no image, as its layout gives it no width. Add the attributes width and height.");
    }

    /** Requests the image for the layout, unless it has as many pixels already. */
    #fit() {
      const src = this.getAttribute("src");
      const width = Math.round(this.#width);
      if (!src || !this.isConnected || width < 1) return;
      const most = Number(this.getAttribute("max-dpr")) || Infinity;
      const density = atLeast(densities.filter(each => each <= Math.max(1, most)), devicePixelRatio);
      const step = atLeast(ladder, width);
      if (step * density <= this.#requested) return;
      this.#requested = step * density;
      const url = sized(src, step, density);
      if (url === this.#image.getAttribute("src")) return;
      if (this.#isShown) {
        this.#next = this.#made();
        for (const name of handed) if (name !== "loading") this.#hand(this.#next, name);
        this.#next.src = url;
      } else {
        this.#image.src = url;
      }
    }
  });
}
