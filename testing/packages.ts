import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { keptNodectl } from '../node-cli/kept-build.ts'
import { keptClient } from '../sdk/kept-build.ts'
import { runProgram, strangersEnvironment } from './node/package-calls.ts'

const root = path.resolve(import.meta.dirname, '..')

/** The members of a `package.json`. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The folders of the packages that are published. */
export const packageFolders = ['node-cli', 'sdk', 'localnet', 'create'] as const
export type PackageFolder = (typeof packageFolders)[number]

export const manifestOf = (folder: PackageFolder): Manifest =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))

/** Packs a package as it is published. @param away where to. @returns The tarball. */
export const packPackage = async (folder: PackageFolder, away: string): Promise<string> =>
  (await packPackages([folder], away))[0]!

/** The same for several, of which npm has to start once. @returns Their tarballs, in the same order. */
export async function packPackages(folders: readonly PackageFolder[], away: string): Promise<string[]> {
  for (const folder of folders) await place(folder, path.join(away, folder))
  mkdirSync(path.join(away, 'home'), { recursive: true })
  // The builds that `prepack` makes are there already.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', away]
  const packages = folders.map((folder) => `./${folder}`)
  const { stdout, stderr } = runProgram('npm', [...args, ...packages], away, strangersEnvironment(away))
  try {
    // A list, or from npm 12 on an object by name.
    const packed = Object.values<{ name: string; filename: string }>(JSON.parse(stdout))
    return folders.map((folder) => {
      const { name } = manifestOf(folder)
      return path.join(away, packed.find((one) => one.name === name)!.filename)
    })
  } catch {
    throw new Error(`${folders.join(', ')} cannot be packed: ${stderr}`)
  }
}

/** Puts what a package has into a folder. */
async function place(folder: PackageFolder, content: string): Promise<void> {
  mkdirSync(content, { recursive: true })
  const dist = path.join(content, 'dist')
  if (folder === 'sdk') cpSync(await keptClient(), dist, { recursive: true })
  else if (folder === 'node-cli') cpSync(await keptNodectl(), dist, { recursive: true })
  else await build(folder, dist)
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    cpSync(path.join(root, folder, file), path.join(content, file))
}

async function build(folder: PackageFolder, dist: string): Promise<void> {
  const child = spawn(process.execPath, [`${folder}/build.ts`], {
    cwd: root,
    env: { ...process.env, PACKAGE_DIST: dist },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${folder} cannot be built: ${said.trim()}`)
}
