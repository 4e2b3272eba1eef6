import { hasSimd, noSimd } from '../native/simd.ts'
import { webAssembly } from '../native/web-assembly.ts'
import { machineBase64 } from './machine.generated.ts'

/** The exports of the machine for the host. */
export interface MachineExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow: (pages: number) => number }
  setLayout: (
    calls: number,
    functions: number,
    memoryBase: number,
    memoryBytes: number,
    pagesMax: number,
  ) => void
  setGas: (limit: number, slice: number) => void
  setUnits: (units: number) => void
  gasUsed: () => number
  /** 1 when the gas was there and is taken, else 0. */
  charge: (gas: number) => number
  exhaust: () => void
  memoryBytes: () => number
  trapKind: () => number
  call: (code: number, frame: number) => number
  resume: () => number
}

let compiled: object | undefined

/** @throws {@link NodeFault} on a machine without the instructions that the code needs. */
function compile(): object {
  try {
    return new webAssembly.Module(Buffer.from(machineBase64, 'base64'))
  } catch (error) {
    throw hasSimd() ? error : noSimd()
  }
}

/** The interpreter's own code, compiled once. */
export const machineModule = {
  instantiate(host: (index: number, frame: number) => void): MachineExports {
    compiled ??= compile()
    return new webAssembly.Instance(compiled, { env: { host } }).exports as unknown as MachineExports
  },
}
