import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type Build, keptBuild } from '../scripts/kept-build.ts'

/** The package as it is published. */
const client: Build = {
  name: 'client',
  sources: ['sdk', 'protocol', 'package-lock.json', 'tsconfig.json'],
  async buildInto(folder) {
    const child = spawn(process.execPath, ['sdk/build.ts'], {
      cwd: path.resolve(import.meta.dirname, '..'),
      env: { ...process.env, CLIENT_DIST: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(`The client cannot be built: ${said.trim()}`)
  },
}

/** The folder with the modules of the package, which are built unless they were. @throws With what the bundler says. */
export const keptClient = (): Promise<string> => keptBuild(client)
