import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { filledAscHome } from '../node-cli/testing/nodectl.ts'
import { hasAnvil } from './testing/anvil.ts'

test.skipIf(!hasAnvil)(
  'npm run demo goes all the way, from a wallet to a withdrawn stake',
  async () => {
    const child = spawn(process.execPath, ['localnet/demo.ts', '--own'], {
      env: { ...process.env, NODE_ASC_HOME: filledAscHome() },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data
      })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(output).not.toContain('Error')
    const steps = [
      'listing_status pending_review',
      'listing_status listed',
      'status active',
      'status unbonding',
      'status withdrawable',
      'status closed, collateral 0',
      'Done.',
    ]
    const places = steps.map((step) => output.indexOf(step))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(code).toBe(0)
  },
  300_000,
)
