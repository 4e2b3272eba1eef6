import { spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createGzip } from 'node:zlib'
import { startLocalServer } from '../local-server.ts'
import { temporaryFolder } from './folders.ts'
import { atEnd } from './shared.ts'

const installed = path.resolve(import.meta.dirname, '../../node_modules')

/** A registry of this machine, which has the packages that are installed here. @returns Its URL. */
export async function startPackageRegistry(): Promise<string> {
  const { url, stop } = await startLocalServer(async ({ url = '', headers: { host } }, response) => {
    const [, name = '', file] = url.split('/')
    if (file === undefined) {
      const manifest = JSON.parse(await readFile(path.join(installed, name, 'package.json'), 'utf8'))
      const { version } = manifest
      const dist = { tarball: `http://${host}/${name}/package.tgz` }
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: version },
          versions: { [version]: { ...manifest, dist } },
        }),
      )
      return
    }
    const folder = temporaryFolder()
    symlinkSync(path.join(installed, name), path.join(folder, 'package'))
    const { stdout } = spawn('tar', ['-C', folder, '-chf', '-', 'package'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    stdout.pipe(createGzip({ level: 0 })).pipe(response)
  })
  atEnd(stop)
  return url
}
