// Runs a command with the project's own Node first on PATH, so that any Node >= 20 can start everything.
// The Node comes from an optional dependency (see docs/decisions/0001-why-node-is-an-optional-dependency.md).
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
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
      'Run "npm ci" (without --omit=optional), or use Node 22.18 or newer.',
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

// A command that ends its processes in order is in a group of its own: Ctrl-C reaches every process of the terminal's
// group, and a runtime that ends before its owner stops it looks like one that crashed.
const own = process.argv[2] === '--own-group'
const [command, ...args] = process.argv.slice(own ? 3 : 2)
const child = spawn(command, args, { stdio: 'inherit', env, detached: own })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// The shell that npm puts in between ends upon a signal without passing it on.
const parent = process.ppid
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
child.on('error', (error) => {
  console.error(`${command}: ${error.message}`)
  process.exit(127)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
