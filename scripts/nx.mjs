// Runs a command with the project's own Node first on PATH, so that any Node >= 20 can start everything.
// The Node comes from an optional dependency (see docs/decisions/0001-node-as-optional-dependency.md).
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const bundled = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  .map((name) => path.join(root, 'node_modules', name, 'bin'))
  .find((dir) => existsSync(path.join(dir, 'node')))

const [major, minor] = process.versions.node.split('.').map(Number)
const recentEnough = major > 22 || (major === 22 && minor >= 18)
if (!bundled && !recentEnough) {
  console.error(
    `The project's own Node is not installed and this Node is ${process.version}.\n` +
      'Run "npm ci" without --omit=optional, or use Node 22.18 or newer.',
  )
  process.exit(1)
}

const env = {
  // Nothing is sent to any other machine: no metrics, no update check, no request for sample data.
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NODE_NO_WARNINGS: '1',
  // Every command loads much code; what compiling it gave once serves the next ones.
  NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/node'),
  ...process.env,
  PATH: [bundled, path.join(root, 'node_modules/.bin'), process.env.PATH]
    .filter(Boolean)
    .join(path.delimiter),
}

const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: 'inherit', env })
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
for (const signal of signals) process.on(signal, () => child.kill(signal))
// Whoever started this may die without passing a signal on (npm does); nothing must outlive it.
const parent = process.ppid
const npm = findNpm(parent)
const isAlone = () => process.ppid !== parent || (npm !== null && !isThere(npm))
setInterval(() => isAlone() && child.kill('SIGTERM'), 500).unref()
child.on('error', (error) => {
  console.error(`${command}: ${error.message}`)
  process.exit(127)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))

/** The npm above the shell that a script of package.json runs in: that shell goes on when npm is killed. */
function findNpm(shell) {
  if (process.env.npm_lifecycle_event === undefined) return null
  try {
    const { parent } = describe(shell)
    return /^npm\b/.test(describe(parent).title) ? parent : null
  } catch {
    // Where the system does not tell, only the death of the parent itself is noticed.
    return null
  }
}

function describe(pid) {
  if (existsSync('/proc/self/stat')) {
    // The name of the program stands in brackets and may hold anything, so the rest is read from the last one on.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { parent, title: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }
  }
  const line = execFileSync('ps', ['-o', 'ppid=', '-o', 'command=', '-p', String(pid)], {
    encoding: 'utf8',
  }).trim()
  return { parent: Number.parseInt(line, 10), title: line.replace(/^\d+\s+/, '') }
}

function isThere(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
