import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runProgram, strangersEnvironment } from './node/package-calls.ts'
import { packPackage } from './packages.ts'

const source = path.resolve(import.meta.dirname, '../sdk')

/** Packs the client as it is published. @returns The tarball. */
export const packClient = (folder: string): Promise<string> => packPackage('sdk', folder)

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
 * The code blocks of the README, as one program.
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

/** The environment of a reader: without the project's own, newer Node.js. */
export function ownEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const places = process.env.PATH?.split(':').filter((place) => !place.includes('node_modules'))
  return { PATH: places?.join(':'), HOME: process.env.HOME, ...more }
}
