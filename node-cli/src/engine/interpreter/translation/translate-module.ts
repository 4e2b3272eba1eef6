import type { Module } from '../../../../../protocol/wasm/module.ts'
import { type Initializers, readInitializers } from '../initializers.ts'
import { headerBytes, type Layout, layOut, slotBytes } from '../layout.ts'
import { codeOf } from '../opcodes.ts'
import { CodeWriter } from './code-writer.ts'
import type { ModuleAddresses, Relocation } from './function-body.ts'
import { signatureIds } from './signatures.ts'
import { translateBody } from './translate-body.ts'

/** A module in the form the machine runs. It can be instantiated any number of times. */
export interface TranslatedModule {
  readonly wasm: Uint8Array
  readonly module: Module
  readonly initializers: Initializers
  readonly layout: Layout
  readonly code: Uint32Array
  /** Bytes of the code of every function, imported ones first. */
  readonly functions: readonly number[]
  readonly signatures: readonly number[]
}

/** Translates a module that is known to be valid. */
export function translateModule(wasm: Uint8Array, module: Module): TranslatedModule {
  const initializers = readInitializers(wasm)
  const signatures = signatureIds(module)
  const before = layOut(module, initializers)
  const addresses: ModuleAddresses = {
    code: before.code,
    global: (index) => before.globals + slotBytes * index,
    table: (index) => before.tables + headerBytes * index,
    dataSegment: (index) => before.dataSegments + headerBytes * index,
    elementSegment: (index) => before.elementSegments + headerBytes * index,
    signatures,
    addressable: addressableBytes(module),
  }
  const writer = new CodeWriter()
  const relocations: Relocation[] = []
  const target = { module, addresses, writer, relocations }
  const functions: number[] = []
  for (const [index, type] of module.functions.entries()) {
    functions.push(before.code + 4 * writer.length)
    const defined = index - module.importedFunctions
    if (defined < 0) {
      writer.three(codeOf.get('host')!, index, codeOf.get('leave')!)
      continue
    }
    translateBody(target, module.types[type]!, module.bodies[defined]!)
  }
  for (const relocation of relocations) writer.words[relocation.at] = functions[relocation.target]!
  const code = writer.words.slice(0, writer.length)
  const data = before.code + 4 * code.length
  const dataBytes = initializers.data.reduce((sum, { start, end }) => sum + end - start, 0)
  const memory = Math.ceil((data + dataBytes) / 65_536) * 65_536
  return { wasm, module, initializers, layout: { ...before, data, memory }, code, functions, signatures }
}

/** Bytes beyond which no access can be in bounds, as the module states. Not that of metering/, which is compared with it. */
function addressableBytes({ memories }: Module): number {
  const max = memories[0]?.max
  return max === undefined ? 2 ** 32 : max * 65_536
}
