import type { EngineChoice } from '../engine/index.ts'

/** How modules run here, as it is told to the hub. */
export type DeviceEngine = 'native' | 'pulley64' | 'pulley32'

const narrowArchitectures: readonly string[] = ['arm', 'ia32', 'mipsel']

/** The class of a device by the engine that its operator chose. */
export function deviceEngineOf(engine: EngineChoice, architecture: string = process.arch): DeviceEngine {
  if (engine !== 'pulley') return 'native'
  return narrowArchitectures.includes(architecture) ? 'pulley32' : 'pulley64'
}
