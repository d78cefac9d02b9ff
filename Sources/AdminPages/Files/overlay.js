// Marks pictures of a page that are larger than shown, or in a format that a client could have smaller. For development:
// <script src="http://127.0.0.1:8081/overlay.js" defer></script>
(() => {
  if (window.edgeprintOverlay) return;
  const host = document.createElement("edgeprint-overlay"), root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; position: absolute; top: 0; left: 0; z-index: 2147483647; pointer-events: none; font: 12px/1.35 system-ui, sans-serif }
    .mark { position: absolute; border: 2px solid #d92d20; border-radius: 3px; box-sizing: border-box }
    .mark.some { border-color: #dc8b00 }
    .mark b { position: absolute; left: 0; top: 0; white-space: nowrap; padding: 1px 6px; background: #d92d20; color: #fff }
    .mark.some b { background: #9a5b00 }
    button { position: fixed; right: 12px; bottom: 12px; pointer-events: auto; padding: 8px 12px; border: 1px solid #fff6; border-radius: 8px; background: #1b1f25; color: #fff; font: inherit; cursor: pointer }
    button:focus-visible { outline: 3px solid #6fb1ff }
    .off .mark { display: none }`);
  root.adoptedStyleSheets = [sheet];
  const marks = document.createElement("div"), button = document.createElement("button");
  root.append(marks, button);
  button.type = "button";
  button.onclick = () => { const off = marks.classList.toggle("off"); button.setAttribute("aria-pressed", String(!off)); };

  const size = n => n < 1e6 ? `${Math.round(n / 1000)} kB` : `${(n / 1e6).toFixed(1)} MB`;
  const known = new Map();
  const once = (key, make) => known.get(key) ?? known.set(key, make()).get(key);

  // The size of the file: naturalWidth is divided by the density that srcset states.
  const pixels = img => !img.srcset && !img.closest("picture") ? Promise.resolve([img.naturalWidth, img.naturalHeight])
    : once(`size ${img.currentSrc}`, () => new Promise(done => {
      const file = new Image();
      file.onload = () => done([file.naturalWidth, file.naturalHeight]);
      file.onerror = () => done([0, 0]);
      file.src = img.currentSrc;
    }));

  // The media type: as the browser knows it, else of a request that accepts AVIF and WebP, whose content is not read.
  const type = url => once(`type ${url}`, async () => {
    const entry = performance.getEntriesByName(url, "resource").at(-1);
    if (entry?.contentType) return entry.contentType;
    const stop = new AbortController();
    try {
      const answer = await fetch(url, { signal: stop.signal, cache: "force-cache", credentials: "omit", headers: { Accept: "image/avif,image/webp,image/*;q=0.8" } });
      return answer.headers.get("Content-Type") ?? "";
    } catch { return ""; } finally { stop.abort(); }
  });

  const judge = async img => {
    const url = img.currentSrc, box = img.getBoundingClientRect(), ratio = devicePixelRatio;
    if (!img.complete || !/^https?:/.test(url) || box.width < 8 || box.height < 8) return null;
    const [width, height] = await pixels(img), style = getComputedStyle(img);
    const inner = (a, b, ...names) => Math.max(1, (a - names.reduce((s, n) => s + parseFloat(style[n]), 0)) * b);
    const shown = [inner(box.width, ratio, "paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"), inner(box.height, ratio, "paddingTop", "paddingBottom", "borderTopWidth", "borderBottomWidth")];
    const factor = Math.min(width / shown[0], height / shown[1]);
    const entry = performance.getEntriesByName(url, "resource").at(-1), bytes = entry?.encodedBodySize ?? 0;
    const media = (await type(url)).split(";")[0], words = [];
    const isLarge = factor > 1.25;
    if (isLarge) words.push(`${width} × ${height} shown as ${Math.round(shown[0])} × ${Math.round(shown[1])}: ${(factor * factor).toFixed(1)} times the pixels`);
    const isOld = /^image\/(jpeg|png|gif|bmp|tiff)$/.test(media);
    if (isOld) words.push(`${media.slice(6).toUpperCase()}, not negotiated`);
    if (!words.length) return null;
    if (bytes) words.push(size(bytes));
    return { img, words, isLarge, waste: isLarge ? bytes * (1 - 1 / (factor * factor)) : 0 };
  };

  // <edge-picture> has its image in a shadow tree, and dispatches its load events itself.
  const images = () => [...document.images, ...[...document.querySelectorAll("edge-picture")].flatMap(e => e.shadowRoot?.querySelector("img") ?? [])];

  let running = false, again = false;
  const scan = async () => {
    if (running) { again = true; return; }
    running = true;
    const all = images(), found = (await Promise.all(all.slice(0, 500).map(judge))).filter(Boolean);
    marks.replaceChildren(...found.map(({ img, words, isLarge }) => {
      const box = img.getBoundingClientRect(), mark = document.createElement("div"), label = document.createElement("b");
      mark.className = isLarge ? "mark" : "mark some";
      label.textContent = words.join(" · ");
      mark.append(label);
      const at = { left: box.left + scrollX, top: box.top + scrollY, width: box.width, height: box.height };
      for (const [name, value] of Object.entries(at)) mark.style[name] = `${value}px`;
      return mark;
    }));
    const waste = found.reduce((s, f) => s + f.waste, 0);
    button.textContent = `${found.length} of ${all.length} pictures could be smaller${waste > 1000 ? `, about ${size(waste)}` : ""}`;
    window.edgeprintOverlay.found = found.map(({ img, words }) => ({ url: img.currentSrc, words }));
    running = false;
    if (again) { again = false; scan(); }
  };
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(scan, 250); };
  window.edgeprintOverlay = { scan, found: [] };
  const begin = () => {
    document.body.append(host);
    new MutationObserver(changes => changes.some(c => c.target !== host) && later()).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["src", "srcset", "class", "style"] });
    addEventListener("resize", later);
    document.addEventListener("load", later, true);
    later();
  };
  document.body ? begin() : addEventListener("DOMContentLoaded", begin);
})();
