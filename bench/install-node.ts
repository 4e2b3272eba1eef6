import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'

/** Installs a version of Node from npm below a folder. @returns Its executable. */
export function installNode(folder: string, version: string): string {
  const target = path.join(folder, version)
  mkdirSync(target)
  const name = `node-${process.platform}-${process.arch}`
  const flags = ['--prefix', target, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save']
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name}@${version} cannot be installed: ${stderr}`)
  return path.join(target, 'node_modules', name, 'bin/node')
}
