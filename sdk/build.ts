/** Builds the package: a module for each part that it exports, the modules that these share, and the types of all. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import packageJson from './package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '..')
/** With `CLIENT_DIST`, a build does not remove a folder that another process uses. */
const dist = process.env.CLIENT_DIST ?? path.join(import.meta.dirname, 'dist')
const parts = Object.values(packageJson.exports).flatMap((part) =>
  typeof part === 'string' ? [] : [path.basename(part.default, '.js')],
)

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: parts.map((part) => path.join(import.meta.dirname, `${part}.ts`)),
  outdir: dist,
  chunkNames: 'shared/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['browser'],
  target: 'es2022',
  // Protocol code for other readers; none of it is used here.
  external: ['node:*'],
})
writeTypes()

/** Writes the declarations of the bundled files, each to a file of its own: a bundler of types would be one more tool. */
function writeTypes(): void {
  const types = path.join(dist, 'types')
  const { status, stdout } = spawnSync(
    'tsc',
    ['-p', path.join(import.meta.dirname, 'tsconfig.json'), '--outDir', types],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`The types cannot be written:\n${stdout}`)
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue
    const file = path.join(types, name)
    // Imports name `.ts` files; the published declarations need `.js`.
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(["'])(\.[^"']*)\.ts\1/g, '$1$2.js$1'))
  }
}
