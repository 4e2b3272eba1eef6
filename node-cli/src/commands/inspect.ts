import type { Guest } from '../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../protocol/wasm/reader.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { exitCodes } from '../cli/errors.ts'
import { printJson } from '../cli/output.ts'
import { readArtifactFile } from '../cli/run-request.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { readValidGuest } from '../engine/validation/valid-guest.ts'

export default defineNodectlCommand({
  args: {
    hbc: { type: 'positional', required: true, description: 'The artifact; - reads standard input' },
    address: { type: 'boolean', description: 'Print its address alone, for a script' },
  },
  async run({ args }) {
    const { manifest, manifestAddress, wasm } = await readArtifactFile(args.hbc)
    const guest = check(wasm)
    const abiError = guest instanceof WasmError ? guest.message : null
    if (args.address) writeOutput(`${manifestAddress}\n`)
    else
      printJson({
        manifest,
        manifest_address: manifestAddress,
        functions: manifest.functions.map((name, func_id) => ({
          func_id,
          name,
          wasm_bytes: wasm.length,
          abi_valid: abiError === null,
          abi_error: abiError,
        })),
        abi_valid: abiError === null,
        abi_error: abiError,
        stateless: guest instanceof WasmError ? null : guest.stateless,
        imports: guest instanceof WasmError ? [] : guest.imports,
      })
    if (abiError !== null) process.exitCode = exitCodes.failed
  },
  examples: [
    ['inspect hello.hbc', 'Show what is in an artifact'],
    ['inspect hello.hbc --address', 'Print the address that it is uploaded and run under'],
    ['inspect - < hello.hbc', 'Read it from standard input'],
  ],
})

/** Everything that decides whether the module runs at all. */
function check(wasm: Uint8Array): Guest | WasmError {
  try {
    return readValidGuest(wasm)
  } catch (error) {
    if (error instanceof WasmError) return error
    throw error
  }
}
