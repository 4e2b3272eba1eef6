import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type Build, keptBuild } from '../scripts/kept-build.ts'

/** The package as it is published. */
const nodectl: Build = {
  name: 'nodectl',
  sources: [
    'node-cli/src',
    'node-cli/assembly',
    'node-cli/build.ts',
    'node-cli/package.json',
    'protocol',
    'conformance',
    'package-lock.json',
  ],
  async buildInto(folder) {
    const child = spawn(process.execPath, ['node-cli/build.ts'], {
      cwd: path.resolve(import.meta.dirname, '..'),
      env: { ...process.env, NODECTL_DIST: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(`nodectl cannot be built: ${said.trim()}`)
  },
}

/** The folder with the package, which is built unless it was. @throws With what the bundler says. */
export const keptNodectl = (): Promise<string> => keptBuild(nodectl)
