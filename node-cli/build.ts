/**
 * Builds the package: a launcher any Node can read, all that `run` needs, all that `serve` needs, a file per other command,
 * and the manual pages.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { commandPage, toolPage } from './src/cli/man-page.ts'
import { commands } from './src/commands/index.ts'

const root = import.meta.dirname
/** A build with a folder of its own does not remove files that another process runs. */
const dist = process.env.NODECTL_DIST ?? path.join(root, 'dist')
const { engines, name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  engines: { node: string }
  name: string
  version: string
}

/** The guest libraries travel inside the bundle, as text. */
const guestLibraries: Plugin = {
  name: 'guest-libraries',
  setup({ onLoad }) {
    const read = (file: string): string => readFileSync(path.join(root, 'assembly', file), 'utf8')
    onLoad({ filter: /compiler[\\/]guest-libraries\.ts$/ }, () => ({
      contents: `export const guestLibraries = ${JSON.stringify({ hub: read('hub.ts'), hivekit: read('hivekit.ts') })}`,
      loader: 'js',
    }))
  },
}

/**
 * noble takes random bytes from `node:crypto`, which costs each thread some milliseconds to load, and nodectl asks for
 * none: its own come from Node.
 */
const lazyCrypto: Plugin = {
  name: 'lazy-crypto',
  setup({ onLoad }) {
    onLoad({ filter: /@noble[\\/]hashes[\\/]esm[\\/]cryptoNode\.js$/ }, () => ({
      contents:
        'export const crypto = { getRandomValues: (bytes) => globalThis.crypto.getRandomValues(bytes) }',
      loader: 'js',
    }))
  },
}

/**
 * Takes Node's own modules as they are, each when what needs it is loaded. To import one Node makes a module around it
 * first, which costs a short command milliseconds.
 */
const builtIns: Plugin = {
  name: 'built-ins',
  setup({ onResolve, onLoad }) {
    // Libraries name them without the prefix too.
    onResolve({ filter: /^(node:|[a-z_]+$)/ }, ({ path: name }) =>
      isBuiltin(name) ? { path: name, namespace: 'built-in' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path: name }) => ({
      contents: `const builtIn = process.getBuiltinModule('${name}')
        // The bundler looks at every property that is the module's own, and Node loads some of them then.
        module.exports = typeof builtIn === 'function' ? builtIn : Object.create(builtIn)`,
      loader: 'js',
    }))
  },
}

/** Stands for the list of commands in the file of one that is built by itself. */
const alone = (name: string): Plugin => ({
  name: `${name}-alone`,
  setup({ onLoad }) {
    onLoad({ filter: /commands[\\/]index\.ts$/ }, ({ path: file }) => ({
      contents: `import command from './${name}.ts'
        export const commands = { ${name}: { description: ${JSON.stringify(commands[name]!.description)}, load: async () => ({ default: command }) } }`,
      loader: 'ts',
      resolveDir: path.dirname(file),
    }))
  },
})

/** Keeps the node itself out of the file of all commands, which only shows the options of `serve`. */
const serveApart: Plugin = {
  name: 'serve-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/serve\/index\.ts$/ }, () => ({ path: './serve.mjs', external: true }))
  },
}

/** The tool needs only these members of its own `package.json`. */
const packageFacts: Plugin = {
  name: 'package-facts',
  setup({ onLoad }) {
    const contents = JSON.stringify({ name, version, engines })
    onLoad({ filter: /node-cli[\\/]package\.json$/ }, () => ({ contents, loader: 'json' }))
  },
}

const options = {
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  minifySyntax: true,
  // The WebSocket client would look for native helpers, which the package does not bring.
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
} as const
const plugins = [guestLibraries, lazyCrypto, builtIns, packageFacts]
const main = path.join(root, 'src/main.ts')

rmSync(dist, { recursive: true, force: true })
await build({
  ...options,
  plugins: [...plugins, serveApart],
  entryPoints: { main, worker: path.join(root, 'src/engine/thread/worker.ts') },
})
// Every file adds to the start time, and code that commands share is split into many files. So the entry points that run
// first, and the commands that run most often, are bundled separately.
for (const name of ['start', 'version'])
  await build({ ...options, plugins, entryPoints: { [name]: path.join(root, `src/${name}.ts`) } })
await build({ ...options, plugins: [...plugins, alone('run')], entryPoints: { run: main } })
await build({
  ...options,
  splitting: false,
  plugins: [...plugins, alone('serve')],
  entryPoints: { serve: main },
})
const backgroundWorker = path.join(root, 'src/serve/background/background-worker.ts')
await build({ ...options, plugins, entryPoints: { 'background-worker': backgroundWorker } })

// V8 keeps a text with one letter beyond Latin-1 at twice its length, and takes longer to read it. The bundler escapes such
// letters everywhere but in comments.
for (const name of readdirSync(dist).filter((file) => file.endsWith('.mjs'))) {
  const file = path.join(dist, name)
  const text = readFileSync(file, 'utf8').replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, (comment) =>
    comment.replace(/\P{ASCII}/gu, '?'),
  )
  if (/\P{ASCII}/u.test(text)) throw new Error(`${name} has letters beyond ASCII that are in no comment`)
  writeFileSync(file, text)
}

const [major, minor] = engines.node.replace('>=', '').split('.').map(Number)
writeFileSync(
  path.join(dist, 'nodectl.mjs'),
  `#!/usr/bin/env node
var version = process.versions.node.split('.')
if (+version[0] > ${major} || (+version[0] === ${major} && +version[1] >= ${minor})) import('./start.mjs')
else {
  console.error('Error: nodectl needs Node.js ${engines.node.replace('>=', '')} or newer; this is ' + process.versions.node)
  process.exitCode = 1
}
`,
)
chmodSync(path.join(dist, 'nodectl.mjs'), 0o755)

const manual = path.join(dist, 'man')
mkdirSync(manual)
writeFileSync(path.join(manual, 'nodectl.1'), toolPage(commands, version))
for (const [name, { description, load }] of Object.entries(commands)) {
  const { default: command } = await load()
  writeFileSync(path.join(manual, `nodectl-${name}.1`), commandPage(name, description, command, version))
}
