import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { gasTableFile, measureGas, renderGas } from './gas.ts'
import { hasAnvil } from './network.ts'

test.skipIf(!hasAnvil)(
  'the committed table states the cost of calls; otherwise run: node contracts/test/gas.ts',
  async () => {
    expect(renderGas(await measureGas())).toBe(readFileSync(gasTableFile, 'utf8'))
  },
)
