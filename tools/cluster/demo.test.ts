import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/nodectl.ts'
import { listProcessesWith } from '../../testing/npm-start.ts'
import { runTool } from '../../testing/run-tool.ts'

test.skipIf(!hasAnvil)(
  'real nodes go from an empty network to a claimed reward; who lies and who votes twice is slashed',
  async () => {
    const TMPDIR = temporaryFolder()
    const { code, stdout, stderr } = await runTool('tools/demo.ts', ['--cluster'], { TMPDIR })
    expect([stderr, code]).toEqual(['', 0])
    const steps = [
      /· validator-4 /,
      /✗ lies +(?<liar>\S+)\n +✗ votes twice (?<doubleVoter>\S+)\n/,
      /· fallback .* no committee/,
      /[34] validators attested 0x/,
      /[0-9]+ tasks final; median/,
      / invalid_result /,
      /← status settled/,
      /← status released/,
      /99500 HUB \+ 0\.\d+ HUB = 99500\.\d+ HUB/,
      / HUB taken/,
      /Done\./,
    ]
    let rest = stdout
    for (const step of steps) {
      const found = step.exec(rest)
      expect(found, `${step} in ${rest}`).not.toBe(null)
      rest = rest.slice(found!.index)
    }
    for (const kind of ['clean', 'audited', 'contested'])
      expect(stdout).toMatch(new RegExp(`· ${kind} .* agree`))
    const { liar, doubleVoter } = steps[1]?.exec(stdout)?.groups ?? {}
    expect(stdout).toMatch(new RegExp(`= invalid_result ${liar}: 25 HUB taken`))
    expect(stdout).toMatch(new RegExp(`= equivocation   ${doubleVoter}: [1-9]\\d* HUB taken`))
    expect(readdirSync(TMPDIR)).toEqual([])
    // The bundler ends by itself once its input does.
    const left = listProcessesWith(`TMPDIR=${TMPDIR}`)
    expect(left.filter(({ program }) => program !== 'esbuild')).toEqual([])
  },
  // The days of the demo pass in minutes, on whatever machine.
  600_000,
)
