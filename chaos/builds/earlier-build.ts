import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

const packed = path.join(import.meta.dirname, 'nodectl-earlier.json.br')

/** The files of a built nodectl, without its manual pages, by their names. */
type Files = Record<string, string>

/** Keeps a build as the earlier one. */
export function packBuild(dist: string): void {
  const names = readdirSync(dist).filter((name) => name.endsWith('.mjs'))
  const files: Files = Object.fromEntries(
    names.map((name) => [name, readFileSync(path.join(dist, name), 'utf8')]),
  )
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(packed, brotliCompressSync(JSON.stringify(files), { params }))
}

/** Writes the earlier build into a folder. @returns The folder. */
export function unpackEarlierBuild(folder: string): string {
  const files = JSON.parse(brotliDecompressSync(readFileSync(packed)).toString()) as Files
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}
