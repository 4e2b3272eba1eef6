import { expect, test } from 'vitest'
import { hasAnvil } from '../localnet/testing/anvil.ts'
import { runTool } from '../localnet/testing/run-tool.ts'
import { filledAscHome } from '../node-cli/testing/nodectl.ts'

test.skipIf(!hasAnvil)(
  'npm run demo goes all the way, from a wallet to a withdrawn stake',
  async () => {
    const { code, stdout, stderr } = await runTool('tools/demo.ts', ['--own'], {
      NODE_ASC_HOME: filledAscHome(),
    })
    expect(stdout + stderr).not.toContain('Error')
    const steps = [
      'listing_status pending_review',
      'listing_status listed',
      'status active',
      'status unbonding',
      'status withdrawable',
      'status closed, collateral 0',
      'Done.',
    ]
    const places = steps.map((step) => stdout.indexOf(step))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(code).toBe(0)
  },
  300_000,
)
