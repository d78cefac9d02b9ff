// Keeps the Live page up to date: fragments from the stream /live, drawings on canvases, forms without a reload.
const $ = id => document.getElementById(id)
const results = ['memory', 'disk', 'original', 'shared', 'collapsed', 'revalidated', 'stale', 'negative', 'owner', 'fallback',
  'placeholder', 'brownout', 'miss', 'refused', 'error', 'other']
const points = []          // the last two minutes, one point a second
const shown = {}           // the markup last put into each fragment
let last, lanes = [], offset = 0, paused = false, source, timer, retry = 1000

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const still = matchMedia('(prefers-reduced-motion: reduce)')

// A canvas in device pixels, empty; undefined while it is not visible.
function surface(id) {
  const canvas = $(id), ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight
  if (!width) return
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  const context = canvas.getContext('2d')
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  return { context, width, height }
}

const seconds = 120
const place = (now, width) => point => width - (now - point.now) / 1000 / seconds * width

function drawRibbon(now) {
  const area = surface('ribbon')
  if (!area) return
  const { context, width, height } = area
  const top = Math.max(1, ...points.map(point => point.total)), x = place(now, width)
  context.fillStyle = color('--line')
  for (const part of [0, .5]) context.fillRect(0, Math.round(height * part), width, 1)
  const step = Math.max(2, width / seconds)
  const colors = results.map(name => color('--t-' + name))
  for (const point of points) {
    let bottom = height
    results.forEach((name, index) => {
      const size = (point.rates[name] || 0) / top * (height - 2)
      if (size <= 0) return
      context.fillStyle = colors[index]
      context.fillRect(x(point) - step + .5, bottom - size, step - 1, size)
      bottom -= size
    })
  }
  context.fillStyle = color('--muted')
  context.fillText(`${top < 10 ? Math.round(top * 10) / 10 : Math.round(top)}/s`, 4, 12)
}

function drawLine(id, value, now, ink) {
  const area = surface(id)
  if (!area || points.length < 2) return
  const { context, width, height } = area
  const top = Math.max(1, ...points.map(value)), x = place(now, width)
  context.beginPath()
  points.forEach((point, index) => {
    const y = height - 2 - value(point) / top * (height - 4)
    index ? context.lineTo(x(point), y) : context.moveTo(x(point), y)
  })
  context.strokeStyle = color(ink)
  context.lineWidth = 1.5
  context.lineJoin = 'round'
  context.stroke()
  context.lineTo(x(points[points.length - 1]), height)
  context.lineTo(x(points[0]), height)
  context.globalAlpha = .12
  context.fillStyle = color(ink)
  context.fill()
  context.globalAlpha = 1
}

const span = 30000
function drawTimeline(now) {
  const canvas = $('timeline')
  canvas.style.height = `${lanes.length * 18 + 16}px`
  const area = surface('timeline')
  if (!area) return
  const { context, width, height } = area, left = 18, scale = (width - left) / span
  context.fillStyle = color('--muted')
  for (let age = 0; age <= 30; age += 10) {
    const x = width - age * 1000 * scale
    context.textAlign = age === 0 ? 'right' : age === 30 ? 'left' : 'center'
    context.fillText(age ? `−${age} s` : 'now', age === 30 ? left : x, height - 3)
  }
  context.textAlign = 'left'
  lanes.forEach((runs, lane) => {
    const y = lane * 18 + 2
    context.fillStyle = color('--muted')
    context.fillText(lane + 1, 4, y + 11)
    context.fillStyle = color('--line')
    context.fillRect(left, y, width - left, 14)
    for (const [start, end, what] of runs) {
      const until = end ?? now
      if (now - until > span) continue
      const x = Math.max(left, width - (now - start) * scale), size = Math.max(1.5, width - (now - until) * scale - x)
      context.fillStyle = color(end === null ? '--accent' : '--t-original')
      context.fillRect(x, y, size, 14)
      const label = what.split('/').pop()
      if (size > 48 && context.measureText(label).width < size - 8) {
        context.fillStyle = color('--panel')
        context.fillText(label, x + 4, y + 11)
      }
    }
  })
}

// The daemon's clock, estimated from the last event.
const clock = () => performance.now() + offset

function draw(now = clock()) {
  drawRibbon(now)
  drawLine('rate', point => point.total, now, '--accent')
  drawLine('queue', point => point.queued, now, '--warn')
  drawTimeline(now)
}

function frame() {
  if (!paused && !document.hidden && lanes.some(runs => runs.length && runs[runs.length - 1][1] === null)) drawTimeline(clock())
  if (!still.matches) requestAnimationFrame(frame)
}

// Replaces a fragment's markup, which the daemon has escaped; a button in it keeps the focus.
function show(id, markup) {
  const element = $(id)
  if (!element || shown[id] === markup) return
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined
  const selection = getSelection()
  if (!selection.isCollapsed && element.contains(selection.anchorNode)) return
  element.innerHTML = markup
  shown[id] = markup
  if (key) (element.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? $('main')).focus()
}

function take(data) {
  offset = data.now - performance.now()
  if (last && data.now > last.now) {
    const elapsed = (data.now - last.now) / 1000, rates = {}
    let total = 0
    for (const name of results) {
      rates[name] = Math.max(0, (data.requests[name] ?? 0) - (last.requests[name] ?? 0)) / elapsed
      total += rates[name]
    }
    points.push({ now: data.now, rates, total, queued: data.queued })
  }
  while (points.length && data.now - points[0].now > (seconds + 2) * 1000) points.shift()
  last = data
  if (paused) return
  lanes = data.lanes
  for (const [id, markup] of Object.entries(data.html)) show(id, markup)
  draw(data.now)
}

// Why there is no stream, in the daemon's words if it has any.
async function reason() {
  const stop = new AbortController()
  try {
    const response = await fetch('/live', { headers: { Accept: 'text/event-stream' }, signal: stop.signal })
    // The session has ended, if not the daemon.
    if (response.status === 401) location.reload()
    return response.ok ? 'connecting' : (await response.json()).detail
  } catch {
    return 'no connection'
  } finally {
    stop.abort()
  }
}

function tell(text, name) {
  $('connection').textContent = text
  $('connection').className = name
}

// Opens the stream, but not while the page is hidden: browsers open few connections to a host, and events.subscribers is a limit.
function connect() {
  clearTimeout(timer)
  source?.close()
  if (document.hidden) return
  const stream = source = new EventSource('/live')
  stream.addEventListener('live', event => {
    retry = 1000
    tell(paused ? 'paused' : 'live', 'live')
    take(JSON.parse(event.data))
  })
  stream.onerror = () => {
    stream.close()
    if ($('connection').className !== 'bad') tell('no connection', 'bad')
    reason().then(text => stream === source && tell(text, 'bad'))
    timer = setTimeout(connect, retry)
    retry = Math.min(30000, retry * 2)
  }
}

function notice(text, isError) {
  const line = document.createElement('p')
  line.className = isError ? 'notice bad' : 'notice'
  line.textContent = text
  $('notice').replaceChildren(line)
  return line
}

// Shows the progress of a warm job until it ends.
function follow(job) {
  const events = new EventSource(`/warm/${job}`), bar = document.createElement('progress')
  bar.setAttribute('aria-label', `Warm job ${job}`)
  let line
  const update = event => {
    const report = JSON.parse(event.data), done = report.done + report.skipped + report.failed
    bar.max = report.total || 1
    bar.value = done
    // The result of another form has taken its place.
    if (line && !line.isConnected) return
    line = notice(`Warm job ${job}: ${done} of ${report.total}, ${report.failed} failed, ${report.state}. `, report.failed > 0)
    line.append(bar)
  }
  events.addEventListener('progress', update)
  events.addEventListener('end', event => { update(event); events.close() })
  events.onerror = () => events.close()
}

document.addEventListener('submit', async event => {
  const form = event.target, button = event.submitter
  if (form.id === 'explain') {
    event.preventDefault()
    const path = new FormData(form).get('explain')
    let found
    try {
      const response = await fetch(`/?explain=${encodeURIComponent(path)}`)
      if (response.status === 401) return location.reload()
      found = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('explained')
    } catch {}
    $('explained').hidden = false
    $('explained').textContent = found?.textContent ?? 'No connection.'
    return $('explained').focus()
  }
  if (!('form' in form.dataset)) return
  event.preventDefault()
  form.setAttribute('aria-busy', 'true')
  try {
    const body = new URLSearchParams(new FormData(form, button))
    const response = await fetch(form.getAttribute('action'), { method: 'POST', body, headers: { Accept: 'application/json' } })
    if (response.status === 401) return location.reload()
    const result = await response.json()
    notice(result.text ?? result.detail, result.error ?? !response.ok)
    if (result.job) follow(result.job)
  } catch {
    notice('No connection to the daemon.', true)
  } finally {
    form.removeAttribute('aria-busy')
  }
})

$('pause').addEventListener('click', () => {
  paused = !paused
  $('pause').textContent = paused ? 'Resume' : 'Pause'
  $('pause').setAttribute('aria-pressed', paused)
  if (!paused && last) take(last)
})

for (const id of ['ribbon', 'rate', 'queue', 'timeline', 'pause']) $(id).hidden = false
addEventListener('resize', () => draw())
document.addEventListener('visibilitychange', connect)
// The whole of a text that is cut.
document.addEventListener('pointerover', event => {
  const cell = event.target.closest('.what')
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : ''
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw())
connect()
if (!still.matches) requestAnimationFrame(frame)
