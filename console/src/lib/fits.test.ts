import { expect, test } from 'vitest'
import { fitOf } from './fits.ts'

test.each([
  ['compatible', [], [], 'compatible'],
  ['marginal', ['ram_mb'], [], 'marginal'],
  ['marginal', ['ram_mb', 'unknown_cpu_cores'], [], 'marginal'],
  ['marginal', ['unknown_ram_mb', 'unknown_cpu_cores'], [], 'unknown'],
  ['incompatible', ['unknown_ram_mb'], ['engine'], 'incompatible'],
] as const)(
  'a device that is %s with the warnings %j and without %j is %s',
  (tier, warnings, missing, expected) => {
    const fit = fitOf({ tier, warnings: [...warnings], missing: [...missing] } as never)
    expect(fit.tier).toBe(expected)
    expect(fit.near.length + fit.unknown.length).toBe(warnings.length)
  },
)
