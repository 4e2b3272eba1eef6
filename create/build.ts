/** Builds the package: its program with the tools of this repository that it runs, and the files of a new project. */
import { copyFileSync, cpSync } from 'node:fs'
import path from 'node:path'
import { buildProgram } from '../scripts/packages/build.ts'
import packageJson from './package.json' with { type: 'json' }

const here = import.meta.dirname
/** A caller that sets `PACKAGE_DIST` removes no files that another caller uses. */
const dist = process.env.PACKAGE_DIST ?? path.join(here, 'dist')

await buildProgram({
  dist,
  entry: 'create/hub.ts',
  command: Object.keys(packageJson.bin)[0]!,
  node: packageJson.engines.node.replace('>=', ''),
})
cpSync(path.join(here, 'template'), path.join(dist, 'template'), { recursive: true })
copyFileSync(path.join(here, '../examples/project/manifest.json'), path.join(dist, 'template/manifest.json'))
