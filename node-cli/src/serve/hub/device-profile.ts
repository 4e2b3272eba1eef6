import { existsSync, readdirSync, statfsSync } from 'node:fs'
import os from 'node:os'
import { plainLine } from '../../../../protocol/encoding/index.ts'
import type { DeviceClass, Engine } from '../../../../protocol/manifest/index.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const powerSupplies = '/sys/class/power_supply'

/** The description that a node gives of its machine; null is unknown. */
export interface DeviceProfile {
  readonly class: DeviceClass
  readonly platform: string
  readonly os_version: string | null
  readonly arch: string
  readonly engine: Engine
  readonly miner_version: string
  readonly nodectl_version: string
  readonly hardware: {
    readonly cpu_model: string | null
    /** Processors that this process may use, as are the threads: the system does not say which share a core. */
    readonly cpu_cores: number
    readonly cpu_threads: number
    readonly ram_mb: number
    readonly storage_free_mb: number | null
    readonly battery: boolean | null
    readonly os: string
    readonly arch: string
  }
  /** Left out where nobody has run the suite. */
  readonly benchmark?: BenchmarkResult | null
}

/** The result of the network's benchmark suite on a device. */
export interface BenchmarkResult {
  readonly suite: string
  /** Unix seconds. */
  readonly ran_at: number
  readonly engine: Engine
  readonly cases: readonly BenchmarkCaseResult[]
  /** One for each case, rounded. */
  readonly mgas_per_s: readonly number[]
  /** Their mean, rounded. */
  readonly score: number
}

export interface BenchmarkCaseResult {
  readonly name: string
  readonly receipt_hash: string
  readonly gas_used: number
  readonly elapsed_us: number
}

/** Looks at this machine. @param dataDir whose disk is the one that counts. */
export function describeDevice(dataDir: string, engine: Engine): DeviceProfile {
  const battery = hasBattery()
  return {
    class: battery === true ? 'laptop' : os.platform() === 'linux' ? 'server' : 'desktop',
    platform: os.platform(),
    os_version: line(os.release(), 64),
    arch: os.arch(),
    engine,
    miner_version: packageJson.version,
    nodectl_version: packageJson.version,
    hardware: {
      cpu_model: line(os.cpus()[0]?.model ?? '', 128),
      cpu_cores: os.availableParallelism(),
      cpu_threads: os.availableParallelism(),
      ram_mb: Math.floor(os.totalmem() / 2 ** 20),
      storage_free_mb: freeMegabytes(dataDir),
      battery,
      os: os.platform(),
      arch: os.arch(),
    },
  }
}

/** Only Linux tells without another program being asked. */
function hasBattery(): boolean | null {
  if (os.platform() !== 'linux' || !existsSync(powerSupplies)) return null
  return readdirSync(powerSupplies).some((name) => name.startsWith('BAT'))
}

/** Space that this user may fill; null if the system does not say. */
export function freeMegabytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.floor((bavail * bsize) / 2 ** 20)
  } catch {
    return null
  }
}

function line(text: string, charactersMax: number): string | null {
  const cut = text.trim().slice(0, charactersMax)
  return cut !== '' && plainLine.test(cut) ? cut : null
}
