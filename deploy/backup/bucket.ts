import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Wrangler } from '../wrangler.ts'
import { backupFiles } from './manifest.ts'

/** The manifest is written last: a backup without one is not whole. */
const names = [...Object.values(backupFiles), 'manifest.json']
const keyOf = (bucket: string, id: string, name: string): string => `${bucket}/backups/${id}/${name}`

/** Copies a backup into a bucket, under a prefix of its own. */
export async function putBackup(
  wrangler: Wrangler,
  bucket: string,
  id: string,
  folder: string,
): Promise<void> {
  for (const name of names)
    await wrangler([
      'r2',
      'object',
      'put',
      keyOf(bucket, id, name),
      '--remote',
      '--force',
      '--file',
      path.join(folder, name),
    ])
}

/** Copies a backup out of a bucket. */
export async function getBackup(
  wrangler: Wrangler,
  bucket: string,
  id: string,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of names)
    await wrangler([
      'r2',
      'object',
      'get',
      keyOf(bucket, id, name),
      '--remote',
      '--file',
      path.join(folder, name),
    ])
}
