import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { keptNodectl } from '../node-cli/kept-build.ts'
import { keptClient } from '../sdk/kept-build.ts'
import { runProgram, strangersEnvironment } from './node/package-calls.ts'

const root = path.resolve(import.meta.dirname, '..')

/** What `package.json` of a package says. */
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
export async function packPackage(folder: PackageFolder, away: string): Promise<string> {
  const content = path.join(away, folder)
  mkdirSync(content, { recursive: true })
  const dist = path.join(content, 'dist')
  if (folder === 'sdk') cpSync(await keptClient(), dist, { recursive: true })
  else if (folder === 'node-cli') cpSync(await keptNodectl(), dist, { recursive: true })
  else await build(folder, dist)
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    cpSync(path.join(root, folder, file), path.join(content, file))
  mkdirSync(path.join(away, 'home'), { recursive: true })
  // The build that `prepack` makes is there already.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', away]
  const { stdout, stderr } = runProgram('npm', args, content, strangersEnvironment(away))
  try {
    return path.join(away, JSON.parse(stdout)[0].filename)
  } catch {
    throw new Error(`${folder} cannot be packed: ${stderr}`)
  }
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
