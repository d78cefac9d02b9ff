// The playground: plans are built from cards and tried on a picture. Everything that it knows of parameters comes from /language.
import { score } from "/assets/score.js";

const h = (tag, props = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith("on")) v && e.addEventListener(k.slice(2), v);
    else if (k in e && k !== "list" && k !== "form") e[k] = v;
    else if (v !== undefined && v !== null) e.setAttribute(k, v);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
};
const button = (text, onclick, props) => h("button", { type: "button", onclick, ...props }, text);
const quiet = { className: "quiet" };
const get = async (url, init) => {
  const r = await fetch(url, init);
  if (r.ok) return r;
  // The session has ended.
  if (r.status === 401) location.reload();
  const p = await r.json().catch(() => ({}));
  throw Object.assign(new Error(p.detail ?? `${r.status} ${r.statusText}`), { parameter: p.parameter, status: r.status });
};
const json = async (url, init) => (await get(url, init)).json();
const enc = v => encodeURIComponent(v).replace(/%2C/g, ",").replace(/%3A/g, ":");
const size = n => n < 1000 ? `${n} B` : n < 1e6 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1e6).toFixed(n < 1e7 ? 2 : 0)} MB`;
const clamp = (v, a, b) => Math.min(Math.max(v, a), b);
const say = text => { live.textContent = ""; live.textContent = text; };

const [language, setup] = await Promise.all([json("/language"), json("/playground/setup")]);
const attributes = new Map(language.attributes.map(p => [p.name, p]));
const titles = { w: "resize" };
const live = h("p", { className: "hidden", role: "status" });
const state = { picture: null, name: "", size: null, path: `/${setup.sources[0] ?? "photos"}/picture.jpg`, steps: [], attributes: {}, settings: {}, edit: null, fourth: "png" };
let serial = 0;

// Values of forms.

const number = /^-?\d*\.?\d+$/;
const fits = (form, v) => {
  switch (form.kind) {
    case "integer": return /^-?\d+$/.test(v);
    case "decimal": return number.test(form.unit === "percent" ? v.replace(/%$/, "") : v) && v.endsWith("%") === (form.unit === "percent");
    case "choice": return form.of.includes(v);
    case "text": return v.startsWith(form.prefix);
    case "list": {
      const parts = v.split(form.separator);
      return parts.length >= form.required && parts.length <= form.of.length && (form.of.length > 1) === (parts.length > 1 || form.required === 1)
        && parts.every((p, i) => p === "" && i >= form.required || fits(form.of[i].form, p));
    }
    default: return true;
  }
};
const start = form => {
  switch (form.kind) {
    case "integer": case "decimal": return `${Math.max(form.min, Math.min(10, form.max))}${form.unit === "percent" ? "%" : ""}`;
    case "choice": return form.of[0];
    case "either": return start(form.of[0].form);
    case "measure": return "10";
    case "list": return form.of.slice(0, form.required).map(i => start(i.form)).join(form.separator);
    case "color": return "ff8800";
    case "text": return form.prefix && `${form.prefix}Edgeprint`;
    default: return "";
  }
};

// Controls: each takes a form and a value, and reports changes.

const curve = (form, p) => {
  const wide = form.max - form.min > 300 ? 3 : 1, v = form.min + (form.max - form.min) * p ** wide;
  return form.kind === "integer" ? Math.round(v) : +v.toPrecision(3);
};
const slider = (form, value, set, label) => {
  const unit = form.unit === "percent" ? "%" : "", wide = form.max - form.min > 300 ? 3 : 1;
  const place = v => Math.round(1000 * ((clamp(+v, form.min, form.max) - form.min) / (form.max - form.min)) ** (1 / wide));
  const plain = String(value).replace("%", "");
  const range = h("input", { type: "range", min: 0, max: 1000, value: plain === "" ? 0 : place(plain), "aria-label": `${label}, slider`, oninput: () => { field.value = curve(form, range.value / 1000); set(field.value + unit); } });
  const field = h("input", { type: "number", min: form.min, max: form.max, step: form.kind === "integer" ? 1 : "any", value: plain, "aria-label": label, oninput: () => { range.value = field.value === "" ? 0 : place(field.value); set(field.value === "" ? "" : field.value + unit); } });
  return h("span", { className: "slider" }, range, field, form.unit ? h("small", {}, { pixels: "px", percent: "%", bytes: "B", degrees: "°" }[form.unit] ?? "") : null);
};
const select = (names, value, set, label, empty) => {
  const options = (empty === undefined ? [] : [h("option", { value: "" }, empty)]).concat(names.map(n => h("option", { value: n }, n)));
  const e = h("select", { "aria-label": label, onchange: () => set(e.value) }, options);
  e.value = value ?? "";
  return e;
};
const control = (form, value, set, label, empty) => {
  switch (form.kind) {
    case "integer": case "decimal": return slider(form, value, set, label);
    case "angle": return slider({ kind: "decimal", min: 0, max: 359, unit: "degrees" }, value, set, label);
    case "choice": return select(form.of, value, set, label, empty);
    case "color": {
      const hex = /^[0-9a-f]{6}/i.test(value) ? value : "ffffff";
      const strength = h("input", { type: "range", min: 0, max: 255, value: hex.length > 6 ? parseInt(hex.slice(6), 16) : 255, "aria-label": `${label}, opacity`, oninput: () => put() });
      const picker = h("input", { type: "color", value: `#${hex.slice(0, 6)}`, "aria-label": label, oninput: () => put() });
      const put = () => set(picker.value.slice(1) + (strength.value < 255 ? (+strength.value).toString(16).padStart(2, "0") : ""));
      return h("span", { className: "slider" }, picker, strength);
    }
    case "gravity": {
      const point = value.includes(",");
      return h("span", { className: "row" }, select([...form.of, "point"], point ? "point" : value, v => { set(v === "point" ? "0.5,0.5" : v); if (v === "point") edit("focus"); }, label, empty ?? "center"),
        button("Place", () => { if (!point) set("0.5,0.5"); edit("focus"); }, quiet));
    }
    case "list": {
      const parts = value.split(form.separator);
      const put = (i, v) => {
        while (parts.length <= i) parts.push("");
        parts[i] = v;
        while (parts.length > form.required && parts.at(-1) === "") parts.pop();
        set(parts.join(form.separator));
      };
      return h("span", { className: "parts" }, form.of.map((item, i) => h("label", {}, h("small", {}, item.name), control(item.form, parts[i] ?? "", v => put(i, v), `${label}, ${item.name}`, i >= form.required ? "default" : undefined))));
    }
    case "either": {
      const index = Math.max(0, form.of.findIndex(i => fits(i.form, value))), chosen = form.of[index];
      const kinds = select(form.of.map(i => i.name), chosen.name, name => { set(start(form.of.find(i => i.name === name).form)); draw(); }, `${label}, kind`);
      const alone = chosen.form.kind === "choice" && chosen.form.of.length === 1;
      return h("span", { className: "parts" }, kinds, alone ? null : control(chosen.form, value, set, label));
    }
    case "variants": {
      const [name, ...rest] = value.split(":"), of = form.of.find(v => v.name === name);
      return h("span", { className: "parts" }, select(form.of.map(v => v.name), name, n => { const v = form.of.find(v => v.name === n); set(v.form && !v.optional ? `${n}:${start(v.form)}` : n); draw(); }, label),
        of?.form ? control(of.form, rest.join(":") || start(of.form), v => set(`${name}:${v}`), `${label}, ${name}`) : null);
    }
    default: {
      const prefix = form.prefix ?? "";
      return h("input", { type: "text", value: value.slice(prefix.length), spellcheck: false, "aria-label": label, oninput: e => set(prefix + e.target.value) });
    }
  }
};

// The query.

const pairsOf = step => step.type.parameters.filter(p => step.values[p.name]).map(p => [p.name, step.values[p.name]]);
const uses = (step, name) => step.type.attributes.includes(name) && pairsOf(step).length > 0 && !(step.values.crop && step.values.crop.split(",").length === 4);
const plan = (steps = state.steps) => {
  const pairs = steps.flatMap(pairsOf);
  for (const [name, value] of Object.entries(state.attributes)) if (value !== "" && steps.some(s => uses(s, name))) pairs.push([name, value]);
  return pairs;
};
const own = (...without) => Object.entries(state.settings).filter(([n, v]) => v !== "" && !without.includes(n));
const text = pairs => pairs.map(([n, v]) => `${n}=${enc(v)}`).join("&");
const target = (pairs = [...plan(), ...own()]) => { const q = text(pairs); return q ? `${state.path}${state.path.includes("?") ? "&" : "?"}${q}` : state.path; };
const address = (pairs, accept = "") => {
  const q = text(pairs), from = state.picture ? `picture=${state.picture}&query=${encodeURIComponent(q)}` : `path=${encodeURIComponent(target(pairs))}`;
  return `/playground/image?${from}&accept=${encodeURIComponent(accept)}`;
};
const made = new Map();
const render = async pairs => {
  const url = address(pairs);
  const known = made.get(url);
  if (known) {
    made.delete(url);
    made.set(url, known);
    return known;
  }
  const r = await get(url), blob = await r.blob(), stages = {};
  for (const m of (r.headers.get("Server-Timing") ?? "").matchAll(/([\w-]+);dur=([\d.]+)/g)) stages[m[1]] = +m[2];
  const ms = ["decode", "transform", "encode"].reduce((s, n) => s + (stages[n] ?? 0), 0);
  const result = { blob, url: URL.createObjectURL(blob), bytes: blob.size, type: blob.type, ms, stages };
  made.set(url, result);
  if (made.size > 24) {
    const [k, v] = [...made].find(([, v]) => ![stage, ...formats.map(f => f.img)].some(e => e.src === v.url));
    made.delete(k);
    URL.revokeObjectURL(v.url);
  }
  return result;
};

// Cards.

const list = h("ol", { className: "cards", "aria-label": "Steps in the order in which they run" });
const title = type => titles[type.parameters[0].name] ?? type.parameters[0].name;
const add = type => {
  const values = {};
  for (const [i, p] of type.parameters.entries()) if (i === 0) values[p.name] = p.example;
  const step = { id: ++serial, type, values };
  state.steps.push(step);
  draw();
  say(`${title(type)} added as step ${state.steps.length}`);
  list.querySelector(`[data-id="${step.id}"] .grip`).focus();
  if (values.crop) edit("crop", step);
};
const move = (step, to) => {
  const from = state.steps.indexOf(step);
  to = clamp(to, 0, state.steps.length - 1);
  if (from === to) return;
  state.steps.splice(to, 0, ...state.steps.splice(from, 1));
  draw();
  say(`${title(step.type)} is now step ${to + 1} of ${state.steps.length}`);
  list.querySelector(`[data-id="${step.id}"] .grip`).focus();
};
const remove = step => {
  const at = state.steps.indexOf(step);
  state.steps.splice(at, 1);
  if (state.edit?.step === step) state.edit = null;
  draw();
  (list.children[Math.min(at, state.steps.length - 1)]?.querySelector(".grip") ?? palette.querySelector("button")).focus();
};
const drag = (event, step) => {
  if (event.button) return;
  // The list keeps the pointer: a card that is moved would lose it.
  const card = event.currentTarget.closest("li");
  list.setPointerCapture(event.pointerId);
  card.classList.add("held");
  const over = e => {
    const next = [...list.children].find(c => { const b = c.getBoundingClientRect(); return c !== card && e.clientY < b.top + b.height / 2; }) ?? null;
    if (next !== card.nextElementSibling) list.insertBefore(card, next);
  };
  list.addEventListener("pointermove", over);
  list.addEventListener("lostpointercapture", () => {
    card.classList.remove("held");
    list.removeEventListener("pointermove", over);
    move(step, [...list.children].indexOf(card));
  }, { once: true });
};
const field = (form, values, key, empty) => {
  const name = form.name, value = values[key] ?? "", set = v => { if (v === "") delete values[key]; else values[key] = v; update(); };
  // A flag has the value that differs from the default, or none.
  const flag = form.form.kind === "flag" && h("input", { type: "checkbox", checked: value === form.example, onchange: e => set(e.target.checked ? form.example : "") });
  return h("div", { className: "field", "data-parameter": name }, h("label", {}, h("code", {}, flag && form.example === "0" ? `${name}=0` : name), flag || control(form.form, value, set, name, empty)), h("p", { className: "wrong" }));
};
const card = (step, i) => {
  const name = title(step.type);
  const grip = button("⠿", null, { className: "grip", "aria-label": `${name}, step ${i + 1} of ${state.steps.length}: arrow keys move it, Delete removes it`, onpointerdown: e => drag(e, step), onkeydown: e => {
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[e.key];
    if (by) { e.preventDefault(); move(step, state.steps.indexOf(step) + by); }
    else if (e.key === "Delete" || e.key === "Backspace") { e.preventDefault(); remove(step); }
  } });
  const crop = step.values.crop !== undefined;
  return h("li", { className: "card", "data-id": step.id }, h("header", {}, grip, h("b", {}, name),
    crop ? button("Place", () => edit("crop", step), quiet) : null,
    button("✕", () => remove(step), { ...quiet, "aria-label": `Remove ${name}` })),
    step.type.parameters.map(p => field(p, step.values, p.name)),
    step.type.attributes.filter(n => attributes.has(n) && (n !== "gravity" || uses(step, n))).map(n => field(attributes.get(n), state.attributes, n, "default")));
};
const used = new Set();
const palette = h("div", { className: "palette" });
const settings = h("div", { className: "settings" });
const draw = () => {
  const focus = document.activeElement?.closest("[data-parameter]")?.dataset.parameter;
  list.replaceChildren(...state.steps.map(card));
  palette.replaceChildren(...language.steps.map(type => button(title(type), () => add(type), { disabled: !type.repeatable && state.steps.some(s => s.type === type) || state.steps.length >= language.maximumSteps })));
  const main = ["format", "q", "bg"];
  const shown = language.settings.filter(p => main.includes(p.name) || used.has(p.name));
  settings.replaceChildren(...shown.map(p => field(p, state.settings, p.name, "default")),
    select(language.settings.filter(p => !shown.includes(p)).map(p => p.name), "", n => { used.add(n); state.settings[n] = language.settings.find(p => p.name === n).example; draw(); }, "Add a setting", "More settings…"));
  if (focus) document.querySelector(`[data-parameter="${focus}"] select`)?.focus();
  update();
};

// The stage: the result, or the picture before a step with handles on it.

const stage = h("img", { className: "result", alt: "" });
const box = h("div", { className: "crop", tabIndex: 0, role: "group", "aria-label": "Part to keep: arrow keys move it" }, ["nw", "n", "ne", "e", "se", "s", "sw", "w"].map(d => button("", null, { className: `handle ${d}`, "data-edge": d, "aria-label": `Edge ${d}: arrow keys move it` })));
const point = button("", null, { className: "point", "aria-label": "Focal point: arrow keys move it" });
const frame = h("div", { className: "frame" }, stage, box, point);
const facts = h("p", { className: "facts" });
const done = button("Done", () => edit(null));
const mode = h("b", {}, "Result");
const edit = (kind, step) => {
  const left = kind ? null : state.edit?.step.id;
  state.edit = kind && { kind, step: step ?? state.steps.find(s => uses(s, "gravity")) };
  if (kind === "focus" && !state.edit.step) state.edit = null;
  arrange();
  update();
  (state.edit ? kind === "crop" ? box : point : list.querySelector(`[data-id="${left}"] .grip`))?.focus({ preventScroll: true });
};
const arrange = () => {
  const kind = state.edit?.kind;
  frame.hidden = !ready();
  frame.className = `frame ${kind ?? ""}`;
  box.hidden = kind !== "crop";
  point.hidden = kind !== "focus";
  done.hidden = !kind;
  mode.textContent = kind ? `Before the step: choose the ${kind === "crop" ? "part to keep" : "focal point"}` : "Result";
};
const part = async before => {
  const v = state.edit.step.values.crop.split(","), of = t => t.endsWith("%");
  if (v.length === 4 && v.every(of)) return v.map(parseFloat);
  if (v.length !== 4) return [10, 10, 80, 80];
  const d = await json(address([...before, ["format", "json"]])), s = [d.width, d.height, d.width, d.height];
  return v.map((t, i) => of(t) ? parseFloat(t) : 100 * t / s[i]);
};
let area = [0, 0, 100, 100];
const put = (next = area) => {
  area = next;
  for (const [i, n] of ["left", "top", "width", "height"].entries()) box.style[n] = `${area[i]}%`;
};
const shape = (edge, dx, dy) => {
  let [x, y, w, t] = area;
  if (!edge) { x = clamp(x + dx, 0, 100 - w); y = clamp(y + dy, 0, 100 - t); }
  if (edge?.includes("w")) { const n = clamp(x + dx, 0, x + w - 1); w += x - n; x = n; }
  if (edge?.includes("e")) w = clamp(w + dx, 1, 100 - x);
  if (edge?.includes("n")) { const n = clamp(y + dy, 0, y + t - 1); t += y - n; y = n; }
  if (edge?.includes("s")) t = clamp(t + dy, 1, 100 - y);
  put([x, y, w, t]);
  state.edit.step.values.crop = area.map(v => `${+v.toFixed(1)}%`).join(",");
  const shown = list.querySelector(`[data-id="${state.edit.step.id}"] [data-parameter="crop"] input`);
  if (shown) shown.value = state.edit.step.values.crop;
};
const focusAt = (x, y) => {
  state.attributes.gravity = [x, y].map(v => +clamp(v, 0, 1).toFixed(3)).join(",");
  for (const s of list.querySelectorAll("[data-parameter=gravity] select")) s.value = "point";
  point.style.left = `${100 * clamp(x, 0, 1)}%`;
  point.style.top = `${100 * clamp(y, 0, 1)}%`;
};
const arrows = e => ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[e.key]?.map(v => v * (e.shiftKey ? 10 : 1));
box.addEventListener("keydown", e => {
  const by = arrows(e);
  if (by) { e.preventDefault(); shape(e.target.dataset.edge, ...by); update(); }
});
point.addEventListener("keydown", e => {
  const by = arrows(e), at = (state.attributes.gravity ?? "0.5,0.5").split(",").map(Number);
  if (by) { e.preventDefault(); focusAt(at[0] + by[0] / 100, at[1] + by[1] / 100); update(); }
});
frame.addEventListener("keydown", e => { if (e.key === "Escape") edit(null); });
const pull = e => {
  if (!state.edit || e.button) return;
  const b = frame.getBoundingClientRect(), edge = e.target.dataset.edge;
  let last = [e.clientX, e.clientY];
  const step = m => {
    if (state.edit.kind === "focus") return focusAt((m.clientX - b.left) / b.width, (m.clientY - b.top) / b.height);
    shape(edge, 100 * (m.clientX - last[0]) / b.width, 100 * (m.clientY - last[1]) / b.height);
    last = [m.clientX, m.clientY];
  };
  if (state.edit.kind === "crop" && !box.contains(e.target)) return;
  e.preventDefault();
  (state.edit.kind === "crop" ? edge ? e.target : box : point).focus({ preventScroll: true });
  frame.setPointerCapture(e.pointerId);
  if (state.edit.kind === "focus") step(e);
  frame.addEventListener("pointermove", step);
  frame.addEventListener("lostpointercapture", () => { frame.removeEventListener("pointermove", step); update(); }, { once: true });
};
frame.addEventListener("pointerdown", pull);

// Formats side by side.

const formats = ["jpeg", "webp", "avif", "png"].map((name, i) => {
  const img = h("img", { alt: "" }), note = h("p", { className: "wrong" }), bar = h("meter", { min: 0, max: 1, value: 0, "aria-hidden": "true" });
  const dd = ["bytes", "time", "score"].map(n => h("dd", { title: n === "score" ? "SSIMULACRA 2, the measure of q=auto: between the lossless result and this file as this browser decodes it, over white. 100 is equal, 75 is usual" : "" }, "–"));
  const head = i < 3 ? h("b", {}, name) : select(["png", "jxl"], "png", v => { state.fourth = v; update(); }, "Fourth format");
  return { name: () => i < 3 ? name : state.fourth, img, dd, note, bar, element: h("figure", {}, h("figcaption", {}, head), h("div", { className: "thumb" }, img), bar, h("dl", {}, ["Bytes", "Time", "Score"].flatMap((t, k) => [h("dt", {}, t), dd[k]])), note) };
});
const clients = h("tbody");
const explained = h("pre", { tabIndex: 0, "aria-label": "Explanation" });
const copies = h("div", { className: "copies" });
const sourceNote = h("p", { className: "wrong", role: "alert" });

const mark = error => {
  for (const p of document.querySelectorAll(".field .wrong")) p.textContent = "";
  sourceNote.textContent = "";
  if (!error) return;
  const at = error.parameter && document.querySelector(`[data-parameter="${CSS.escape(error.parameter)}"] .wrong`);
  (at ?? sourceNote).textContent = error.message;
};
const pixels = async blob => {
  const b = await createImageBitmap(blob), w = Math.min(b.width, 1400), t = Math.min(b.height, 1400);
  const c = new OffscreenCanvas(w, t).getContext("2d", { willReadFrequently: true });
  c.fillStyle = "#fff";
  c.fillRect(0, 0, w, t);
  c.drawImage(b, (w - b.width) >> 1, (t - b.height) >> 1);
  return Object.assign(c.getImageData(0, 0, w, t), { whole: [b.width, b.height] });
};
const blank = (f, text = "") => {
  f.img.removeAttribute("src");
  for (const d of f.dd) d.textContent = "–";
  f.note.textContent = text;
  f.bar.value = 0;
};
const clear = () => {
  for (const f of formats) blank(f);
  stage.removeAttribute("src");
  facts.textContent = "";
};
const ready = () => state.picture || state.path.startsWith("/fetch?") || state.path.split("/").length > 2 && !state.path.endsWith("/picture.jpg");
const compare = async () => {
  const base = plan(), common = own("format"), results = [];
  let failure = null;
  await Promise.all(formats.map(async (f, i) => {
    f.element.classList.add("busy");
    try {
      const r = results[i] = await render([...base, ...common, ["format", f.name()]]);
      f.img.src = r.url;
      f.dd[0].textContent = size(r.bytes);
      f.dd[1].textContent = r.ms ? `${r.ms.toFixed(0)} ms` : "cached";
      f.dd[1].title = Object.entries(r.stages).map(([n, v]) => `${n} ${v.toFixed(1)} ms`).join(", ");
      f.dd[2].textContent = "…";
      f.note.textContent = "";
    } catch (e) {
      blank(f, e.message);
      failure ??= e;
    }
    f.element.classList.remove("busy");
  }));
  const most = Math.max(...results.map(r => r?.bytes ?? 0));
  for (const [i, f] of formats.entries()) if (results[i]) f.bar.value = results[i].bytes / most;
  const shown = results[["jpeg", "webp", "avif"].indexOf(state.settings.format)] ?? results[1] ?? results.find(Boolean);
  if (!shown) throw failure;
  if (!state.edit) stage.src = shown.url;
  let reference;
  try {
    const bg = own().filter(([n]) => n === "bg");
    reference = await pixels((await render([...base, ...bg, ["format", "png"], ["anim", "first"]])).blob);
    facts.textContent = `${reference.whole.join(" × ")} pixels`;
  } catch { facts.textContent = ""; }
  for (const [i, f] of formats.entries()) {
    if (!results[i]) continue;
    try {
      const made = await pixels(results[i].blob);
      f.dd[2].textContent = reference && made.width === reference.width && made.height === reference.height ? score(reference, made)?.toFixed(1) ?? "–" : "–";
    } catch { f.dd[2].textContent = "not shown here"; f.img.removeAttribute("src"); }
  }
};
const before = async () => {
  const { kind, step } = state.edit, at = state.steps.indexOf(step), pairs = plan(state.steps.slice(0, at)).filter(([n]) => n !== "gravity");
  const small = pairs.some(([n]) => n === "w" || n === "h") ? [] : [["w", "1200"]];
  const r = await render([...pairs, ...small, ["format", "webp"], ["anim", "first"]]);
  if (state.edit?.step !== step) return;
  stage.src = r.url;
  if (kind === "crop") put(await part(pairs));
  else { const [x, y] = (state.attributes.gravity ?? "").split(",").map(Number); focusAt(x >= 0 ? x : 0.5, y >= 0 ? y : 0.5); }
};
const explain = async () => {
  const at = encodeURIComponent(target()), words = { jxl: "JPEG XL; AVIF for drawings and transparency", avif: "AVIF", webp: "WebP", rest: "JPEG, PNG or GIF, as the original" };
  const whole = await (await get(`/explain?format=text&path=${at}&accept=${encodeURIComponent(setup.clients[1].accept)}`)).text();
  // Without the addresses of origins.
  explained.textContent = whole.split("\n\n").filter(part => !/^(source|upstream)\n/.test(part)).join("\n\n");
  const rows = await Promise.all(setup.clients.map(async c => {
    const e = await json(`/explain?path=${at}&accept=${encodeURIComponent(c.accept)}`), accepted = e.cache?.bucket?.value?.split("-") ?? [], bucket = e.cache?.jxl?.value === "on" ? "jxl" : accepted[0] === "jxl" ? "webp" : accepted[0];
    const chosen = state.settings.format !== "auto" && state.settings.format;
    const later = bucket === "avif" && Number(e.cache.avif?.value) ? `at once up to ${(e.cache.avif.value / 1e6).toFixed(1)} MP, else WebP first` : bucket === "avif" && e.cache.avif ? "WebP instead" : "";
    const small = [later, !chosen && /avif|jxl/.test(bucket) && "WebP for animations"].filter(Boolean).join("; ");
    const problem = e.problem ? `${e.problem.status} ${e.problem.detail}` : "";
    return h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, problem || chosen || (words[bucket] ?? "the original"), small ? h("small", {}, ` ${small}`) : null), h("td", {}, h("code", { title: c.accept }, c.accept)));
  }));
  clients.replaceChildren(...rows);
};

// Copies.

const base = h("input", { type: "url", value: location.protocol === "https:" ? "" : setup.port ? `http://${location.hostname}:${setup.port}` : location.origin, placeholder: "https://img.example.com", "aria-label": "Address of the server", oninput: () => update() });
const signs = h("input", { type: "checkbox", checked: setup.required, disabled: !setup.signing, onchange: () => update() });
const sign = async path => signs.checked ? (await json("/playground/sign", { method: "POST", body: JSON.stringify({ path }) })).path : path;
const widths = () => {
  const w = (state.steps.find(s => s.values.w)?.values.w ?? 0) * (state.attributes.dpr ?? 1);
  return w ? [...new Set([w / 2, w, 1.5 * w, 2 * w].map(Math.round))].filter(v => v >= 1 && v <= 16384) : [];
};
const at = async (w, format) => {
  // A width of srcset is that of the file: dpr would multiply it.
  const whole = [...plan(), ...own(...(format ? ["format"] : [])), ...(format ? [["format", format]] : [])];
  const pairs = whole.filter(([n]) => !w || n !== "dpr").map(([n, v]) => n === "w" && w ? [n, String(w)] : n === "h" && w ? [n, String(Math.round(v * w / (state.steps.find(s => s.values.w).values.w)))] : [n, v]);
  return base.value.replace(/\/$/, "") + await sign(target(pairs));
};
const set = async format => (await Promise.all(widths().map(async w => `${await at(w, format)} ${w}w`))).join(", ");
const html = s => s.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
const kinds = {
  "URL": () => at(),
  "<img srcset>": async () => { const s = await set(); return s ? `<img src="${html(await at())}" srcset="${html(s)}" sizes="100vw" alt="">` : `<img src="${html(await at())}" alt="">`; },
  "<picture>": async () => {
    const lines = [];
    for (const f of ["avif", "webp"]) lines.push(`  <source type="image/${f}" srcset="${html(await set(f) || await at(0, f))}">`);
    return `<picture>\n${lines.join("\n")}\n  <img src="${html(await at(0, "jpeg"))}" alt="">\n</picture>`;
  },
  "Swift": async () => `import SDWebImage\n\nimageView.sd_setImage(with: URL(string: "${await at()}"))`,
  "curl": async () => `curl -o picture '${(await at()).replace(/'/g, "%27")}'`,
};
const output = h("textarea", { readOnly: true, rows: 5, spellcheck: false, "aria-label": "Copied text" });
let kind = "URL";
const write = async () => { try { output.value = await kinds[kind](); output.classList.remove("bad"); } catch (e) { output.value = e.message; output.classList.add("bad"); } };
const copy = async name => {
  kind = name;
  await write();
  output.select();
  try { await navigator.clipboard.writeText(output.value); } catch { document.execCommand("copy"); }
  say(`${name} copied`);
  for (const b of copies.children) b.setAttribute("aria-pressed", b.textContent === name);
};
copies.append(...Object.keys(kinds).map(n => button(n, () => copy(n), { "aria-pressed": String(n === kind) })));

// Updates: one at a time, the latest wins.

let timer = 0, running = false, again = false;
const update = (delay = 180) => { clearTimeout(timer); timer = setTimeout(() => { timer = 0; run(); }, delay); app.dataset.state = "waiting"; };
const run = async () => {
  if (running) { again = true; return; }
  running = true;
  app.dataset.state = "busy";
  arrange();
  let failure = null;
  await Promise.all([write(), explain().catch(e => { failure = e; }), ready() && state.edit ? before().catch(e => { failure = e; }) : null]);
  if (ready()) await compare().catch(e => { failure = e; });
  else clear();
  mark(failure);
  if (failure?.parameter === "picture" && state.picture) { expire(); arrange(); }
  running = false;
  if (again) { again = false; run(); }
  else if (!timer) app.dataset.state = "idle";
};

// The picture.

const drop = h("div", { className: "drop" });
const path = h("input", { type: "text", value: state.path, size: 34, spellcheck: false, oninput: () => { const text = encodeURI(path.value).replace(/%25/g, "%").replace(/#/g, "%23"); state.path = text.startsWith("/") ? text : /^https?:/.test(text) ? `/fetch?url=${encodeURIComponent(path.value)}` : `/${text}`; update(500); } });
const file = h("input", { type: "file", accept: "image/*,.heic,.heif,.jxl,.pdf", className: "hidden", tabIndex: -1, "aria-label": "Picture", onchange: () => { if (file.files[0]) send(file.files[0]); file.value = ""; } });
const hint = h("span");
const show = () => {
  drop.replaceChildren(button(state.picture ? "Other picture" : "Choose a picture", () => file.click()), file,
    h("span", {}, state.picture ? [state.name, state.size.width && `${state.size.width} × ${state.size.height}`, size(state.size.bytes)].filter(Boolean).join(" · ") : `or drop one here, up to ${size(setup.bytes)}; it is kept in memory for 10 minutes`),
    state.picture ? button("Use the path instead", () => { forget(); show(); update(); }, quiet) : "");
  hint.textContent = state.picture ? "Path in copied URLs" : "Path on this server, or a URL";
};
const forget = async () => { const id = state.picture; state.picture = null; if (id) await fetch(`/playground/pictures/${id}`, { method: "DELETE" }).catch(() => {}); };
const expire = () => {
  state.picture = null;
  show();
  sourceNote.textContent = "The picture has expired: choose it again.";
};
const send = async f => {
  try {
    sourceNote.textContent = "";
    const put = () => json("/playground/pictures", { method: "PUT", body: f });
    const r = await put().catch(async e => { if (e.status !== 503 || !state.picture) throw e; await forget(); show(); return put(); });
    forget();
    Object.assign(state, { picture: r.id, name: f.name, size: r });
    setTimeout(() => { if (state.picture === r.id) expire(); }, r.seconds * 1000);
    show();
    update();
  } catch (e) { sourceNote.textContent = e.message; }
};
const app = document.getElementById("app");
for (const n of ["dragover", "drop", "dragleave"]) app.addEventListener(n, e => {
  if (!e.dataTransfer?.types.includes("Files")) return;
  e.preventDefault();
  app.classList.toggle("over", n === "dragover");
  if (n === "drop" && e.dataTransfer.files[0]) send(e.dataTransfer.files[0]);
});
document.addEventListener("paste", e => { const f = e.clipboardData?.files[0]; if (f) send(f); });

const panel = (name, ...children) => h("section", { className: `panel ${name.toLowerCase().replace(/\W+/g, "-")}`, "aria-label": name }, children);
app.append(live, h("h1", {}, "Playground"),
  panel("Picture", drop, h("label", { className: "path" }, hint, path), sourceNote),
  h("div", { className: "work" },
    panel("Steps", h("h2", {}, "Steps"), list, h("p", { className: "hint" }, "Drag ⠿, or focus it and use the arrow keys."), palette, h("h2", {}, "Output"), settings),
    h("div", { className: "main" },
      panel("Stage", h("header", {}, mode, facts, done), frame),
      panel("Formats", h("h2", {}, "Four formats"), h("div", { className: "four" }, formats.map(f => f.element))),
      panel("Copy", h("h2", {}, "Use it"), h("div", { className: "row" }, h("label", {}, "Server ", base), h("label", {}, signs, setup.signing ? " signed" : " signed (no key)")), copies, output),
      panel("Clients", h("h2", {}, "What clients get"), h("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": "Clients" }, h("table", {}, h("thead", {}, h("tr", {}, ["Client", "Format", "Accept"].map(t => h("th", { scope: "col" }, t)))), clients))),
      panel("Explain", h("h2", {}, "explain"), explained))));
document.getElementById("plain").remove();
document.getElementById("reference").open = false;
show();
draw();
