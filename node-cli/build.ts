/** Builds the package: a launcher any Node can read, and one file per lazily loaded command. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = import.meta.dirname
/** Tests build into folders of their own, so that none removes what another one runs. */
const dist = process.env.NODECTL_DIST ?? path.join(root, 'dist')
const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  engines: { node: string }
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

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: {
    main: path.join(root, 'src/main.ts'),
    worker: path.join(root, 'src/engine/thread/worker.ts'),
  },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  minifySyntax: true,
  plugins: [guestLibraries, lazyCrypto],
})

const [major, minor] = engines.node.replace('>=', '').split('.').map(Number)
writeFileSync(
  path.join(dist, 'nodectl.mjs'),
  `#!/usr/bin/env node
var version = process.versions.node.split('.')
if (+version[0] > ${major} || (+version[0] === ${major} && +version[1] >= ${minor})) import('./main.mjs')
else {
  console.error('Error: nodectl needs Node.js ${engines.node.replace('>=', '')} or newer; this is ' + process.versions.node)
  process.exitCode = 1
}
`,
)
chmodSync(path.join(dist, 'nodectl.mjs'), 0o755)
