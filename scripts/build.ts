/**
 * Makes what a deployment uploads: the modules of the Worker in `dist/hub/`, and its assets in `public/`. `wrangler dev`
 * calls it before it reads secrets and opens the database, and those are prepared here then.
 */
import { cpSync, rmSync } from 'node:fs'
import { builtHub } from './bundle.ts'
import './copy-assets.ts'

const folder = 'dist/hub'
rmSync(folder, { recursive: true, force: true })
cpSync(await builtHub(), folder, { recursive: true })
// wrangler names the command that it builds for.
if (process.env.WRANGLER_COMMAND === 'dev') {
  const { prepareDatabase, prepareSecrets } = await import('./development-hub.ts')
  prepareSecrets()
  await prepareDatabase()
}
