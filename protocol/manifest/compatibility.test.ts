import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '../testing/property.ts'
import {
  checkCompatibility,
  type DeviceProfile,
  type DeviceRequirements,
  requirementNames,
} from './compatibility.ts'
import { deviceClasses, engines } from './project-manifest.ts'

const asked: DeviceRequirements = {
  device_classes: ['desktop', 'server'],
  engines: ['native'],
  cpu_cores: 10,
  ram_mb: 8000,
  storage_mb: 20_000,
  min_benchmark: 1000,
  gpu: null,
  attestation: [],
}
const device: DeviceProfile = {
  class: 'desktop',
  engine: 'native',
  cpu_cores: 10,
  ram_mb: 8000,
  storage_mb: 20_000,
  benchmark: 1000,
}
const unknown: DeviceProfile = {
  class: null,
  engine: null,
  cpu_cores: null,
  ram_mb: null,
  storage_mb: null,
  benchmark: null,
}

describe('checkCompatibility', () => {
  test('a device that meets everything exactly is compatible', () => {
    expect(checkCompatibility(device, asked)).toEqual({
      compatible: true,
      tier: 'compatible',
      match_bp: 10_000,
      missing: [],
      warnings: [],
      performance: 'fair',
    })
  })

  test.each([
    ['another class', { class: 'phone' }, ['device_class']],
    ['another engine', { engine: 'pulley32' }, ['engine']],
    ['cores, more than 10 % short', { cpu_cores: 8 }, ['cpu_cores']],
    ['memory, one megabyte more than 10 % short', { ram_mb: 7199 }, ['ram_mb']],
    ['everything', { ram_mb: 1, storage_mb: 1, benchmark: 1 }, ['ram_mb', 'storage_mb', 'benchmark']],
  ] as const)('misses %s', (_, change, missing) => {
    expect(checkCompatibility({ ...device, ...change }, asked)).toMatchObject({
      compatible: false,
      tier: 'incompatible',
      missing,
      warnings: [],
      match_bp: Math.floor((10_000 * (6 - missing.length)) / 6),
    })
  })

  test('a shortage of at most 10 % is marginal, and does not count as met', () => {
    expect(checkCompatibility({ ...device, cpu_cores: 9, ram_mb: 7200 }, asked)).toMatchObject({
      compatible: true,
      tier: 'marginal',
      missing: [],
      warnings: ['cpu_cores', 'ram_mb'],
      match_bp: 6666,
    })
  })

  test('unknown hardware causes warnings, and never counts as met', () => {
    expect(checkCompatibility(unknown, asked)).toEqual({
      compatible: true,
      tier: 'marginal',
      match_bp: 0,
      missing: [],
      warnings: requirementNames.map((name) => `unknown_${name}`),
    })
  })

  test('an absent requirement is met, even by an unknown device', () => {
    const modest = { ...asked, cpu_cores: 0, ram_mb: 0, storage_mb: 0, min_benchmark: 0 }
    expect(checkCompatibility(unknown, modest)).toMatchObject({
      warnings: ['unknown_device_class', 'unknown_engine'],
    })
    expect(checkCompatibility(device, modest)).not.toHaveProperty('performance')
  })

  test.each([
    [2000, 'excellent'],
    [1999, 'good'],
    [1500, 'good'],
    [1499, 'fair'],
    [999, 'poor'],
  ])('a benchmark of %i with 1000 required is %s', (benchmark, performance) => {
    expect(checkCompatibility({ ...device, benchmark }, asked)).toMatchObject({ performance })
  })

  const amount = fc.nat({ max: 1_000_000 })
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
  const devices: fc.Arbitrary<DeviceProfile> = fc.record({
    class: maybe(fc.constantFrom(...deviceClasses)),
    engine: maybe(fc.constantFrom(...engines)),
    cpu_cores: maybe(amount),
    ram_mb: maybe(amount),
    storage_mb: maybe(amount),
    benchmark: maybe(amount),
  })
  const requirements: fc.Arbitrary<DeviceRequirements> = fc.record({
    device_classes: fc.subarray([...deviceClasses], { minLength: 1 }),
    engines: fc.subarray([...engines], { minLength: 1 }),
    cpu_cores: amount,
    ram_mb: amount,
    storage_mb: amount,
    min_benchmark: amount,
    gpu: fc.constant(null),
    attestation: fc.constant([] as const),
  })

  property(
    'every requirement is met, missing or warned about, exactly once',
    [devices, requirements],
    (given, wanted) => {
      const { missing, warnings, match_bp } = checkCompatibility(given, wanted)
      const named = [...missing, ...warnings.map((name) => name.replace(/^unknown_/, ''))]
      expect(new Set(named).size).toBe(named.length)
      expect(match_bp).toBe(Math.floor((10_000 * (6 - named.length)) / 6))
    },
  )

  const rank = { incompatible: 0, marginal: 1, compatible: 2 }
  property(
    'more of anything never makes a device worse',
    [devices, requirements, fc.constantFrom('cpu_cores', 'ram_mb', 'storage_mb', 'benchmark')],
    (given, wanted, name) => {
      const better = { ...given, [name]: (given[name] ?? 0) + 1 }
      const [before, after] = [checkCompatibility(given, wanted), checkCompatibility(better, wanted)]
      if (given[name] !== null) expect(rank[after.tier]).toBeGreaterThanOrEqual(rank[before.tier])
      expect(after.match_bp).toBeGreaterThanOrEqual(before.match_bp)
    },
  )
})
