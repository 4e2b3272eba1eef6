import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { hasAnvil } from '../testing/anvil.ts'
import { childrenOf, freePorts, NpmStart, type Started } from '../testing/npm-start.ts'

// Whole networks begin and end here, each in the time the machine has for it.
const npmStart = new NpmStart()
afterAll(() => npmStart.clear())

const says =
  (text: string) =>
  ({ output }: Started) =>
    (output.stdout + output.stderr).includes(text)
const runs = (name: string) => (started: Started) =>
  childrenOf(started).some(({ program }) => program === name)

/** Until it is gone, a start makes the sample at the time of the first one. */
const firstStart = () => path.join(npmStart.folder, 'first-start')
const same = (args: string[]) => args
const fresh = (args: string[]) => [...args, '--fresh']
const withNodes = (args: string[]) => args.filter((arg) => arg !== '--no-nodes')

/** A folder of its own for what a network writes beside its data, and the expectation that nothing is left of the network. */
function watched() {
  const TMPDIR = mkdtempSync(path.join(tmpdir(), 'interrupt-'))
  const expectNothingLeft = async () => {
    // The bundler ends by itself once its input does. Until it runs, its process has the name of the one that started it.
    const left = () => npmStart.listProcesses().filter(({ program }) => program !== 'esbuild')
    await expect.poll(left).toEqual([])
    const isLeft = (name: string) => existsSync(path.join(npmStart.folder, name))
    expect(['localnet.pid', 'children.json'].filter(isLeft)).toEqual([])
    expect(readdirSync(TMPDIR)).toEqual([])
  }
  return { env: { TMPDIR }, expectNothingLeft }
}

describe.skipIf(!hasAnvil)('Ctrl-C leaves no process, no lock and no temporary file', () => {
  // Those without `fresh` go on with the data of the network before them, whose contracts need not be deployed again.
  test.each([
    ['before the chain starts', says('Starting the chain'), fresh],
    ['while the chain starts', runs('anvil'), fresh],
    ['while the contracts are deployed', says('Deploying the contracts'), fresh],
    ['before the hub starts', says('Starting the hub'), same],
    ['while the hub starts', runs('workerd'), same],
    ['while its nodes start', (started: Started) => childrenOf(started).length >= 4, withNodes],
  ])('%s', async (_, isThere, args) => {
    const { env, expectNothingLeft } = watched()
    const started = npmStart.run(args((await freePorts()).args), { env })
    await expect.poll(() => isThere(started), { interval: 20, timeout: 280_000 }).toBe(true)
    started.child.kill('SIGINT')
    const { code, stderr } = await started.exit
    await expectNothingLeft()
    expect(existsSync(firstStart())).toBe(true)
    expect([code, stderr.replaceAll(/^….*\n/gm, '')]).toEqual([0, ''])
  })

  test('once its nodes run, in a terminal, where it reaches the whole process group: that does not look like a crash', async () => {
    const { env, expectNothingLeft } = watched()
    const options = { through: 'npm', ownGroup: true, env } as const
    const started = await npmStart.start(withNodes((await freePorts()).args), options)
    // Over the data of the nodes before them.
    expect(started.output.stdout).toMatch(/^ +validator-4 /m)
    expect(existsSync(firstStart())).toBe(false)
    process.kill(-started.child.pid!, 'SIGINT')
    // npm ends before the network has.
    await expect.poll(() => npmStart.listProcesses(), { timeout: 280_000 }).toEqual([])
    await expectNothingLeft()
    // The last line of a process may be read after its end.
    await expect.poll(() => started.output.stderr).toContain('… Stopping')
    const { stdout, stderr } = started.output
    expect(stderr.replaceAll(/^(?:…|npm ).*\n/gm, '')).toBe('')
    expect(stdout + stderr).not.toMatch(/crash|mf:|runtime/i)
  })
})
