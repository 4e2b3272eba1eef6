import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'

interface Size {
  modules: number
  bytes: number
  gzipBytes: number
}

export interface Sizes {
  /** The modules that are loaded before the first request: the entry and those that it imports statically. */
  start: Size
  /** Every module of JavaScript but the image library's. */
  whole: Size
  /** Source files whose code is loaded before the first request, with the bytes they take there. */
  startInputs: Map<string, number>
}

/** Measures modules of the hub that are built for a deployment. */
export function sizesOf({ outputs }: Metafile): Sizes {
  const modules = Object.keys(outputs).filter((file) => file.endsWith('.js'))
  const start = staticImports(outputs, modules.find((file) => path.basename(file) === 'index.js') ?? '')
  const isImages = (file: string) =>
    Object.keys(outputs[file]?.inputs ?? {}).some((input) => /photon/.test(input))
  return {
    start: sizeOf(start),
    whole: sizeOf(modules.filter((file) => !isImages(file))),
    startInputs: new Map(
      start.flatMap((file) =>
        Object.entries(outputs[file]?.inputs ?? {}).map(([input, { bytesInOutput }]) => [
          input,
          bytesInOutput,
        ]),
      ),
    ),
  }
}

function staticImports(outputs: Metafile['outputs'], entry: string): string[] {
  const found = new Set([entry])
  for (const file of found)
    for (const { path: imported, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && outputs[imported]) found.add(imported)
  return [...found]
}

function sizeOf(files: readonly string[]): Size {
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
  return { modules: files.length, bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length }
}
