/** Makes what a deployment uploads: the modules of the Worker in `dist/hub/`, and its assets in `public/`. */
import { rmSync } from 'node:fs'
import { buildHub } from '../localnet/bundle.ts'
import './copy-assets.ts'

const folder = 'dist/hub'
rmSync(folder, { recursive: true, force: true })
await buildHub(folder)
