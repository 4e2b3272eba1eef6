import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** Builds the tool as it is published into a folder. */
export function buildInto(dist: string): void {
  const { status, stderr } = spawnSync('node', ['node-cli/build.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODECTL_DIST: dist },
  })
  if (status !== 0) throw new Error(stderr)
}
