import { base64ToBytes } from '../../protocol/encoding/index.ts'
import type { ExecutionEvent } from '../../protocol/execution/index.ts'
import { packArtifact } from '../../protocol/hbc/artifact.ts'

const wasm = (base64: string) => base64ToBytes(base64)!

/** `probe.wat`, assembled; a test compares the two. */
export const probeWasm = wasm(
  'AGFzbQEAAAABJQZgAn5/AX5gBH9/f38AYAJ/fwBgAn9/AX5gAX8Bf2ADf39/AX4CKAMEaGl2ZQRlbWl0AAEEaGl2ZQVhYm9ydAACBmNyeXB0bwRoYXNoAAMDBwYEAwAAAwUEBAFwAAIFBAEBCBAGBwF/AUGACAsHIwMGbWVtb3J5AgAHX19hbGxvYwADDF9faGl2ZV9lbnRyeQAICQgBAEEACwIFBgrBAgYLACMAIwAgAGokAAsMACAArUIghiABrYQLEAAgACABrYVCs4OAgIAgfgsMACAAIAGtiSAAe3wLsQECAX4Cf0KlxoihyJyn+UshAiAAIAFqIQQCQANAIAAgBE8NASAALQAAIQMgAiADIANBAXERAAAhAiADQQdwQQNGBEAgAkIBfSECBSACIAJCHYiFIQILIABBAWohAAwACwtBwAAhAANAIAAgAkIPg6ciA0EwQdcAIANBCkkbajoAACACQgSIIQIgAEEBaiIAQdAASQ0AC0EQQQVBIEEHEABBEEEFQSBBBxAAQcAAQRAQBAtVAAJAAkACQAJAAkACQAJAIAAOBgABAgMEBQYLQTBBCBABCyABIAIQAg8LIAEgAhAEDwtBEEEFQSBBBxAAQnkPCyABIAIQBw8LA0AMAAsLIAJBAG6tCwskAwBBEAsFbWl4ZWQAQSALB3sibiI6MX0AQTALCGFzIGFza2Vk',
)

/** The functions of the probe, by func_id. */
export const probeFunctions = ['abort', 'digest', 'echo', 'fail', 'mix', 'spin', 'trap'] as const
export type ProbeFunction = (typeof probeFunctions)[number]

/** A module that only imports `storage.get`, and so may not run in a committee. */
const keeperWasm = wasm(
  'AGFzbQEAAAABEwNgAn9/AX5gAX8Bf2ADf39/AX4CDwEHc3RvcmFnZQNnZXQAAAMDAgECBQQBAQEEByMDBm1lbW9yeQIAB19fYWxsb2MAAQxfX2hpdmVfZW50cnkAAgoMAgUAQYAICwQAQgAL',
)

const manifest = { compiler: 'wabt', language: 'wat', runtime: 'hive-wasm-v1', version: '1.0.0' }

/** The probe as an artifact. Another name gives another address. */
export const probeArtifact = (name = 'conformance-probe') =>
  packArtifact({ ...manifest, name, functions: [...probeFunctions] }, probeWasm)

export const keeperArtifact = () =>
  packArtifact({ ...manifest, name: 'conformance-keeper', functions: ['echo'] }, keeperWasm)

/** The result of a run of the probe, the same on every node. */
export interface KnownRun {
  readonly success: boolean
  readonly output: string
  readonly events: readonly ExecutionEvent[]
  readonly gas_used: number
}

const mixed = { name: 'mixed', data: { n: 1 } }

export const probeInput = '{"msg":"hi"}'
export const probeGasLimit = 100_000

/** Recorded from the engine, with {@link probeInput} and {@link probeGasLimit}. */
export const knownRuns: Readonly<Record<ProbeFunction, KnownRun>> = {
  abort: { success: false, output: '', events: [], gas_used: 32 },
  digest: {
    success: true,
    output: '0x43db7450f9910b49289ce51522505541dd1b195a37e769b16669249381c973d7',
    events: [],
    gas_used: 266,
  },
  echo: { success: true, output: probeInput, events: [], gas_used: 56 },
  fail: { success: false, output: '', events: [], gas_used: 563 },
  mix: { success: true, output: '2c3596675d226de6', events: [mixed, mixed], gas_used: 2146 },
  spin: { success: false, output: '', events: [], gas_used: probeGasLimit },
  trap: { success: false, output: '', events: [], gas_used: 18 },
}
