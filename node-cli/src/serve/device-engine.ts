import type { EngineChoice } from '../engine/index.ts'

export type DeviceEngine = 'native' | 'pulley64' | 'pulley32'

const narrowArchitectures: readonly string[] = ['arm', 'ia32', 'mipsel']

export function deviceEngineOf(engine: EngineChoice, architecture: string = process.arch): DeviceEngine {
  if (engine !== 'pulley') return 'native'
  return narrowArchitectures.includes(architecture) ? 'pulley32' : 'pulley64'
}
