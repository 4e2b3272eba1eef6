import { createReadStream, createWriteStream, mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Wrangler } from '../wrangler.ts'
import { backupFiles, manifestName, parseManifest } from './manifest.ts'

/** wrangler refuses to put more than 300 MiB at once. */
const pieceBytesMax = 250 * 1024 * 1024

/** The pieces of a file: one of its own name, or several that are numbered from 1. */
const piecesOf = (name: string, bytes: number, pieceBytes: number) => {
  const count = Math.max(1, Math.ceil(bytes / pieceBytes))
  return Array.from({ length: count }, (_, i) => ({
    name: count === 1 ? name : `${name}.${i + 1}`,
    start: i * pieceBytes,
    end: Math.min(bytes, (i + 1) * pieceBytes) - 1,
  }))
}

const at = (bucket: string, id: string, name: string, file: string): string[] => [
  `${bucket}/backups/${id}/${name}`,
  ...['--remote', '--file', file],
]

/** Copies a backup into a bucket, under a prefix of its own. */
export async function putBackup(
  wrangler: Wrangler,
  bucket: string,
  id: string,
  folder: string,
  pieceBytes = pieceBytesMax,
): Promise<void> {
  const put = (name: string, file: string) =>
    wrangler(['r2', 'object', 'put', ...at(bucket, id, name, file), '--force'])
  for (const name of Object.values(backupFiles)) {
    const file = path.join(folder, name)
    const pieces = piecesOf(name, statSync(file).size, pieceBytes)
    for (const { name: piece, start, end } of pieces) {
      const source = path.join(folder, piece)
      if (pieces.length > 1) await pipeline(createReadStream(file, { start, end }), createWriteStream(source))
      await put(piece, source)
      if (pieces.length > 1) rmSync(source)
    }
  }
  // A backup without one is not whole.
  await put(manifestName, path.join(folder, manifestName))
}

/** Copies a backup out of a bucket. */
export async function getBackup(
  wrangler: Wrangler,
  bucket: string,
  id: string,
  folder: string,
  pieceBytes = pieceBytesMax,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const get = (name: string, file: string) => wrangler(['r2', 'object', 'get', ...at(bucket, id, name, file)])
  await get(manifestName, path.join(folder, manifestName))
  for (const { name, bytes } of parseManifest(folder).files) {
    const file = path.join(folder, name)
    const pieces = piecesOf(name, bytes, pieceBytes)
    if (pieces.length === 1) await get(name, file)
    else {
      rmSync(file, { force: true })
      for (const { name: piece } of pieces) {
        const source = path.join(folder, piece)
        await get(piece, source)
        await pipeline(createReadStream(source), createWriteStream(file, { flags: 'a' }))
        rmSync(source)
      }
    }
  }
}
