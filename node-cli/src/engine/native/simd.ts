import { NodeFault } from '../execution.ts'
import { webAssembly } from './web-assembly.ts'

/** A module with one function, which makes a vector and drops it. */
const probe = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[10, 24, 1, 22, 0, 0xfd, 12, ...Array<number>(16).fill(0), 0x1a, 0x0b],
])

/** Whether V8 can use the vector instructions of this processor. */
export const hasSimd = (): boolean => webAssembly.validate(probe)

/** The fault of a machine without them: neither the interpreter nor modules with vectors run there. */
export const noSimd = (): NodeFault =>
  new NodeFault(
    'this processor lacks the vector instructions that the module or the interpreter needs (on x86: SSE4.1)',
  )
