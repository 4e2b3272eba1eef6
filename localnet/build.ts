/**
 * Builds the package: `npm start` in one program, and beside it what a checkout makes at its first start: the bundled hub,
 * an empty database, and the files that the hub serves.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleHub } from '../scripts/bundle.ts'
import { askedBuilds } from '../scripts/kept-build.ts'
import { buildProgram } from '../scripts/packages/build.ts'
import { migrateDatabase } from '../scripts/wrangler-hub.ts'
import '../scripts/copy-assets.ts'
import packageJson from './package.json' with { type: 'json' }
import { onPlatform } from './platform.ts'

/** A build with a folder of its own removes no files that another build uses. */
const dist = process.env.PACKAGE_DIST ?? path.join(import.meta.dirname, 'dist')
const nodectl = Object.keys(packageJson.dependencies).find((name) => name.endsWith('/nodectl'))

await buildProgram({
  dist,
  entry: 'localnet/start.ts',
  command: Object.keys(packageJson.bin)[0]!,
  node: packageJson.engines.node.replace('>=', ''),
  absent: ['esbuild', 'wrangler'],
  replaced: {
    'scripts/kept-build.ts': `
      import path from 'node:path'
      import { fileURLToPath } from 'node:url'
      export const keptBuildFolder = ({ name }) =>
        name === 'nodectl'
          ? path.dirname(fileURLToPath(import.meta.resolve('${nodectl}/dist/nodectl.mjs')))
          : path.join(import.meta.dirname, '../builds', name)
      export const keptBuild = async (build) => keptBuildFolder(build)`,
    'scripts/copy-assets.ts': 'export {}',
  },
})

const folder = mkdtempSync(path.join(tmpdir(), 'hub-database-'))
await Promise.all([bundleHub().then((script) => onPlatform(script, { seed: 1 })), migrateDatabase(folder)])
rmSync(folder, { recursive: true })
// The files of `public/` have the console and the documentation.
for (const [name, build] of askedBuilds)
  if (!['console', 'site'].includes(name)) cpSync(build, path.join(dist, 'builds', name), { recursive: true })
cpSync(path.resolve(import.meta.dirname, '../public'), path.join(dist, 'public'), { recursive: true })
