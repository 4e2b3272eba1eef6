import { spawn } from 'node:child_process'
import { createReadStream, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { sendJson, startLocalServer } from '../local-server.ts'
import { temporaryFolder } from './folders.ts'
import { atEnd } from './shared.ts'

const installed = path.resolve(import.meta.dirname, '../../node_modules')

/** Programs of binaryen, nine tenths of all that is installed of the compiler, which runs none of them. */
const unused = 'package/bin/wasm*'

/** The last part of the address of a package's archive. */
const archive = 'package.tgz'

/** A package that is not installed. */
export interface Packed {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly tarball: string
}

/** A registry of this machine, which has the packages that are installed here, and `packed`. @returns Its URL. */
export async function startPackageRegistry(packed: readonly Packed[] = []): Promise<string> {
  const manifestOf = (name: string): Promise<Packed['manifest'] | null> =>
    readFile(path.join(installed, name, 'package.json'), 'utf8').then(JSON.parse, () => null)
  const { url, stop } = await startLocalServer(async ({ url = '', headers: { host } }, response) => {
    const [, encoded = '', file] = url.split('/')
    const name = decodeURIComponent(encoded)
    const own = packed.find(({ manifest }) => manifest.name === name)
    // npm also asks for security advisories about packages.
    if (file !== undefined && file !== archive) return sendJson(response, { error: 'not found' }, 404)
    if (file !== undefined && own) return createReadStream(own.tarball).pipe(response)
    if (file === undefined) {
      const manifest = own?.manifest ?? (await manifestOf(name))
      if (manifest === null) return sendJson(response, { error: 'not found' }, 404)
      const { version } = manifest
      const dist = { tarball: `http://${host}/${encodeURIComponent(name)}/${archive}` }
      const versions = { [version]: { ...manifest, dist } }
      return sendJson(response, { name, 'dist-tags': { latest: version }, versions })
    }
    const folder = temporaryFolder()
    symlinkSync(path.join(installed, name), path.join(folder, 'package'))
    const packing = ['--exclude', unused, '-C', folder, '-chf', '-', 'package']
    const { stdout } = spawn('tar', packing, { stdio: ['ignore', 'pipe', 'inherit'] })
    // npm takes an archive that is not compressed as well, and the runtimes among them are hundreds of megabytes.
    return stdout.pipe(response)
  })
  atEnd(stop)
  return url
}
