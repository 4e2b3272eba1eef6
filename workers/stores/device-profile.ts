import type { benchmarkSuite, ConnectionKind } from '../../protocol/identity/index.ts'
import type { deviceClasses, engines } from '../../protocol/manifest/index.ts'

/** The hardware that a device reports; null for a part that it does not know. */
export interface Hardware {
  cpu_model: string | null
  cpu_cores: number | null
  cpu_threads: number | null
  ram_mb: number | null
  storage_free_mb: number | null
  gpu: { vendor: string | null; model: string | null; vram_mb: number | null } | null
  network: ConnectionKind | null
  battery: boolean | null
  os: string | null
  arch: string | null
}

/** The result of the benchmark suite on a device, as the device reports it. */
export interface Benchmark {
  suite: typeof benchmarkSuite
  ran_at: number
  engine: (typeof engines)[number]
  cases: { name: string; receipt_hash: string; gas_used: number; elapsed_us: number }[]
  mgas_per_s: number[]
  score: number
}

export interface DeviceProfile {
  class: (typeof deviceClasses)[number]
  platform: string
  osVersion: string | null
  arch: string
  engine: (typeof engines)[number]
  nodectlVersion: string | null
  minerVersion: string
  hardware: Hardware | null
  benchmark: Benchmark | null
}
