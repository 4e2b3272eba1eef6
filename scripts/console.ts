import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { CommandError } from './command/errors.ts'
import { filesOf } from './files-of.ts'
import { type Build, keptBuild, keptBuildFolder } from './kept-build.ts'
import { filesAddress } from './site/page.ts'

const folder = path.resolve(import.meta.dirname, '../console')

/** The sources of the console. */
const sources = [
  'console/src',
  'console/static',
  'console/package.json',
  'console/vite.config.js',
  'protocol',
  'sdk',
  'package-lock.json',
  'scripts/console.ts',
  'scripts/files-of.ts',
]

/**
 * Builds the console, once for the same sources.
 *
 * @returns The folder of its files.
 * @throws {@link CommandError} with what the compiler says.
 */
export const builtConsole = (): Promise<string> => keptBuild(build)

const build: Build = { name: 'console', sources, buildInto }

async function buildInto(unfinished: string): Promise<void> {
  // Two builds at the same time do not share the intermediate files of the compiler.
  const work = path.join('.svelte-kit', randomBytes(8).toString('hex'))
  const vite = path.join(
    path.dirname(createRequire(import.meta.url).resolve('vite/package.json')),
    'bin/vite.js',
  )
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      CONSOLE_OUT: unfinished,
      CONSOLE_WORK: work,
      CONSOLE_VERSION: path.basename(keptBuildFolder(build)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text))
  const [code] = await once(child, 'exit')
  const manifest = path.join(folder, work, 'output/client/.vite/manifest.json')
  const chunks = code === 0 ? Object.values(JSON.parse(readFileSync(manifest, 'utf8')) as Manifest) : []
  rmSync(path.join(folder, work), { recursive: true, force: true })
  if (code !== 0) throw new CommandError(`The console cannot be built:\n${said.trim()}`)
  const theme = addFile(unfinished, 'theme', themeScript)
  const firstViews = new Set<string>()
  for (const file of filesOf(unfinished).filter((one) => one.endsWith('.html'))) {
    const page = path.join(unfinished, consoleFolder, nameOfPage(file))
    mkdirSync(path.dirname(page), { recursive: true })
    renameSync(path.join(unfinished, file), page)
    for (const one of finishPage(unfinished, page, theme, chunks)) firstViews.add(one)
  }
  for (const file of firstViews) {
    const script = readFileSync(path.join(unfinished, file), 'utf8')
    if (script.length > 5_000) writeFileSync(path.join(unfinished, file), compiledWhileItLoads + script)
  }
}

/** Chrome then compiles all functions of a script beside the page, and not one by one when they are called first. */
const compiledWhileItLoads = '//# allFunctionsCalledOnLoad\n'

/** A script that Vite made, and the styles that belong to it. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
}
type Manifest = Readonly<Record<string, Chunk>>

const consoleFolder = 'console'

/** As the Worker asks for it: what stands for the id of a record is `_`. */
const nameOfPage = (file: string): string => (file === 'index.html' ? 'home.html' : file.replaceAll('…', '_'))

/**
 * SvelteKit starts a page with an inline script, which the policy of the page refuses: it becomes a file like the others.
 * Until it has run, what is drawn takes no click and no key.
 *
 * @returns The scripts of its first view.
 */
function finishPage(built: string, file: string, theme: string, chunks: readonly Chunk[]): readonly string[] {
  const html = readFileSync(file, 'utf8')
  const [element, script] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? []
  if (element === undefined || script === undefined)
    throw new CommandError(`${path.basename(file)} of the console has no script.`)
  const files = inOrder(built, html)
  const atOnce = showsRecord(file, html)
  const boot = addFile(built, 'boot', inSteps(withRescue(script), files, atOnce))
  const seen = withoutLaterStyles(html, files, chunks)
  const finished = (atOnce ? withPreloads(seen, files) : seen.replaceAll(preload, ''))
    .replace(element, `<!--given--><script src="${boot}"></script>`)
    .replace('%theme%', theme)
  writeFileSync(file, finished)
  return files
}

/** SvelteKit links the styles of dialogs too, which come with their scripts when somebody opens them. */
function withoutLaterStyles(html: string, files: readonly string[], chunks: readonly Chunk[]): string {
  const loaded = chunks.filter(({ file }) => files.includes(file))
  const styles = new Set(loaded.flatMap(({ css = [] }) => css))
  return html.replaceAll(/\s*<link href="\/([^"]+)" rel="stylesheet">/g, (link, style) =>
    styles.has(style) ? link : '',
  )
}

/** Adds a script under a name that changes with it. @returns Its address. */
function addFile(built: string, name: string, script: string): string {
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 8)
  const file = `_app/immutable/entry/${name}.${hash}.js`
  writeFileSync(path.join(built, file), script)
  return `/${file}`
}

/** The chosen colours, before anything is drawn in others. */
const themeScript = `try { document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'auto' } catch {}`

/** Whether only the script draws the record, so that it loads at once. Other pages have their content, or the hub writes it, and show it first. */
const showsRecord = (file: string, html: string): boolean =>
  path.basename(file) === '_.html' && !html.includes(' data-shown=')

/** A link to a script that SvelteKit has a browser load before the page is drawn. */
const preload = /\s*<link href="\/([^"]+)" rel="modulepreload">/g

/** The scripts of a page in the order in which they can run: each after those that it imports. */
function inOrder(built: string, html: string): string[] {
  const files = [...html.matchAll(preload)].map(([, file]) => file as string)
  const ordered = new Set<string>()
  const visit = (file: string): void => {
    const script = readFileSync(path.join(built, file), 'utf8')
    for (const [, imported] of script.matchAll(/(?:\bfrom|\bimport)\s*"(\.\.?\/[^"]+)"/g)) {
      const target = path.posix.join(path.posix.dirname(file), imported as string)
      if (!ordered.has(target)) visit(target)
    }
    ordered.add(file)
  }
  files.forEach(visit)
  return [...ordered].filter((file) => files.includes(file))
}

/** In the order in which they run, and behind the styles. */
function withPreloads(html: string, files: readonly string[]): string {
  const rest = [...files]
  return html.replaceAll(preload, (link, file) =>
    link.replace(file, rest.shift()!).replace('rel=', 'fetchpriority="low" rel='),
  )
}

/**
 * The page that the build drew is shown before scripts load, and each script runs in a task of its own: clicks and keys are
 * answered between two of them. A page in the background starts as well.
 */
function inSteps(script: string, files: readonly string[], atOnce: boolean): string {
  const waiting = script
    .replace(/import\(("[^"]+\/start\.[^"]+")\)\.then/, 'painted.then(() => import($1)).then')
    .replace(/(kit\.init\([^)]*\);)/, `$1${steps}`)
  if (!/painted\.then[\s\S]+await pause/.test(waiting))
    throw new CommandError('The script of the console does not start as it used to.')
  const addresses = files.map((file) => `/${file}`)
  return `const files = ${JSON.stringify(addresses)}\n${atOnce ? pauses : `${pauses}${preloads}`}${waiting}`
}

/** A browser that loads nothing ahead would load one after the other. */
const steps = `
  if (document.createElement('link').relList.supports('modulepreload'))
    for (const file of files) {
      await import(file)
      await pause()
    }`

const pauses = `const pause = () => globalThis.scheduler?.yield ? scheduler.yield() : new Promise((go) => setTimeout(go))
const painted = new Promise((go) => {
  if (document.hidden) return go()
  requestAnimationFrame(() => setTimeout(go))
  setTimeout(go, 300)
})
`

/** For a page that does not name its scripts. */
const preloads = `painted.then(async () => {
  for (const href of files) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
    await pause()
  }
})
`

/** A page whose files a deployment has replaced while it loaded loads itself again, once a minute at most, or says so. */
function withRescue(script: string): string {
  const rescued = script.replace(/(kit\.start\([^)]*\);\s*\}\))(;)/, `$1.catch(${rescue})$2`)
  if (rescued === script) throw new CommandError('The script of the console does not start as it used to.')
  return rescued
}

const rescue = `(error) => {
  console.error(error)
  try {
    const last = Number(sessionStorage.getItem('loaded-again'))
    sessionStorage.setItem('loaded-again', String(Date.now()))
    if (Date.now() - last > 60000) return location.reload()
  } catch {}
  element.inert = false
  element.textContent = 'The console could not be loaded. Load this page again.'
}`

/** Puts the console into the folder that the Worker serves, instead of the one that was there. */
export async function placeConsole(target: string): Promise<void> {
  const built = await builtConsole()
  const [mark, version] = [target, built].map((folder) => path.join(folder, '_app/version.json')) as [
    string,
    string,
  ]
  if (existsSync(mark) && readFileSync(mark, 'utf8') === readFileSync(version, 'utf8')) return
  cpSync(built, target, { recursive: true, filter: (file) => file !== version })
  const files = filesOf(built)
  for (const file of filesOf(target, '_app').filter((one) => !files.includes(one) && !isOfSite(one)))
    rmSync(path.join(target, file), { force: true })
  // Last, because it says that all of the others are there.
  copyFileSync(version, mark)
}

const isOfSite = (file: string): boolean => `/${file}`.startsWith(`${filesAddress}/`)
