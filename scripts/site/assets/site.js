// Search, and buttons that copy code. Everything else on a page works without it.
const { index: indexAddress } = document.currentScript.dataset

try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not allowed'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

const box = document.querySelector('.search')
const input = box.querySelector('input')
const list = box.querySelector('ul')
const shownMost = 12
box.hidden = false

let loading
const load = () => {
  loading ??= fetch(indexAddress).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer)))
  // What failed is tried again at the next word.
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

const plain = (text) => text.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')

/** How well a part of a page has all words; 0 where one is missing. */
function rank([, title, heading, text, weight], words) {
  let sum = weight
  for (const word of words) {
    const [inTitle, inHeading, inText] = [title, heading, text].map((one) => plain(one).indexOf(word))
    if (inTitle < 0 && inHeading < 0 && inText < 0) return 0
    sum += (inTitle >= 0 ? 6 : 0) + (inHeading >= 0 ? 4 : 0) + (inText >= 0 ? 1 : 0)
    if (inTitle === 0) sum += 4
    if (inHeading === 0) sum += 2
  }
  return sum + (heading === '' ? 2 : 0)
}

/** A piece of the text around the first word that is in it. */
function excerpt(text, words) {
  const at = Math.max(
    0,
    Math.min(...words.map((word) => plain(text).indexOf(word)).filter((one) => one >= 0), Infinity) - 40,
  )
  const from = Number.isFinite(at) && at > 0 ? text.indexOf(' ', at) + 1 : 0
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 120)}${text.length > from + 120 ? '…' : ''}`
}

let selected = -1
function select(next) {
  const options = list.querySelectorAll('[role=option]')
  options[selected]?.setAttribute('aria-selected', 'false')
  selected = options.length === 0 ? -1 : (next + options.length) % options.length
  options[selected]?.setAttribute('aria-selected', 'true')
  options[selected]?.scrollIntoView({ block: 'nearest' })
  if (selected < 0) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', options[selected].id)
}

function show(items) {
  list.replaceChildren(...items)
  list.hidden = items.length === 0
  input.setAttribute('aria-expanded', String(items.length > 0))
  selected = -1
  select(0)
}

function item(text, more) {
  const element = document.createElement('li')
  element.textContent = text
  const small = document.createElement('small')
  small.textContent = more
  element.append(small)
  return element
}

function option([address, title, heading, text], at, words) {
  const element = item(heading === '' ? title : `${title} › ${heading}`, excerpt(text, words))
  element.setAttribute('role', 'option')
  element.id = `found-${at}`
  element.dataset.address = address
  element.addEventListener('click', () => open(element))
  return element
}

function open(element) {
  show([])
  location.assign(element.dataset.address)
}

async function find() {
  const wanted = input.value
  const words = plain(wanted).split(/\s+/).filter(Boolean)
  if (words.length === 0) return show([])
  let parts
  try {
    parts = await load()
  } catch {
    return show([item('Search could not be loaded.', 'Look at the connection, and load the page again.')])
  }
  if (input.value !== wanted) return
  const found = parts
    .map((part) => [rank(part, words), part])
    .filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a)
    .slice(0, shownMost)
  if (found.length === 0) return show([item('Nothing found.', 'Every word has to be on one part of a page.')])
  show(found.map(([, part], at) => option(part, at, words)))
}

input.addEventListener('focus', () => load().catch(() => {}))
input.addEventListener('input', find)
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') select(selected + 1)
  else if (event.key === 'ArrowUp') select(selected - 1)
  else if (event.key === 'Escape') show([])
  else if (event.key === 'Enter') {
    const chosen = list.querySelectorAll('[role=option]')[selected]
    if (chosen) open(chosen)
    return
  } else return
  event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) show([])
})
