import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { keptClient } from '../sdk/kept-build.ts'
import { runProgram, strangersEnvironment } from './node/package-calls.ts'

const source = path.resolve(import.meta.dirname, '../sdk')

/** Packs the client as it is published. @returns The tarball. */
export async function packClient(folder: string): Promise<string> {
  const content = path.join(folder, 'package')
  cpSync(await keptClient(), path.join(content, 'dist'), { recursive: true })
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    cpSync(path.join(source, file), path.join(content, file))
  mkdirSync(path.join(folder, 'home'), { recursive: true })
  // The build that `prepack` makes is there already.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout, stderr } = runProgram('npm', args, content, strangersEnvironment(folder))
  try {
    return path.join(folder, JSON.parse(stdout)[0].filename)
  } catch {
    throw new Error(`The client cannot be packed: ${stderr}`)
  }
}

/** Makes an empty project far from the repository and installs the tarball into it, without a network. */
export function installClient(folder: string, tarball: string): string {
  const project = path.join(folder, 'project')
  mkdirSync(project, { recursive: true })
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  const args = ['install', '--offline', '--no-audit', '--no-fund', tarball]
  const { status, stderr } = runProgram('npm', args, project, strangersEnvironment(folder))
  if (status !== 0) throw new Error(`The client cannot be installed: ${stderr}`)
  return project
}

/**
 * What the README shows, as one program.
 *
 * @param languages of its blocks: those in `js` run against a local network.
 */
export function readmeProgram(...languages: ('js' | 'ts')[]): string {
  const blocks = readFileSync(path.join(source, 'README.md'), 'utf8').matchAll(/^```(js|ts)\n(.*?)^```$/gms)
  return [...blocks]
    .filter(([, language]) => languages.includes(language as 'js'))
    .map(([, , code]) => code)
    .join('\n')
}
