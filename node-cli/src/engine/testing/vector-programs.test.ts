import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../../../protocol/encoding/index.ts'
import type { EngineCase } from '../vectors/cases.ts'
import { vectorPrograms } from './vector-programs.ts'

// Kernels are compiled, which takes too long here.
const { 'kernels.json': _, ...assembled } = vectorPrograms()

test.each(Object.entries(assembled))(
  '%s has a case for each program that write-vectors.ts runs',
  (file, programs) => {
    const text = readFileSync(path.join(import.meta.dirname, '../vectors', file), 'utf8')
    const { cases } = JSON.parse(text) as { cases: EngineCase[] }
    expect(cases.map(({ name, wasm_hex }) => [name, wasm_hex])).toEqual(
      programs().map(({ name, wasm }) => [name, bytesToHex(wasm).slice(2)]),
    )
  },
)
