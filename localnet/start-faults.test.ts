import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startAnvil } from '../contracts/anvil.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { hasAnvil } from './testing/anvil.ts'
import { childNamed, freePorts, isListening, type Ports, Starter } from './testing/npm-start.ts'
import { signIn } from './testing/session.ts'

// Whole networks begin and end here, each in the time the machine has for it.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

describe.skipIf(!hasAnvil)('npm start, when things go wrong', () => {
  let starter: Starter
  let ports: Ports
  beforeAll(async () => {
    ports = await freePorts()
  })
  afterEach(() => nobodyLeft())
  afterAll(() => starter.clear())

  const file = (name: string) => path.join(starter.folder, name)
  const origin = () => new URL(`http://localhost:${ports.hub}`)
  const chain = (method: string, ...params: unknown[]) =>
    callBatch(`http://127.0.0.1:${ports.chain}`, [[method, ...params]]).then(([answer]) => answer)
  const health = async () => {
    const response = await fetch(new URL('/v1/status', origin()))
    return (await response.json()) as { status: string; chain: { indexed_block: number | null } }
  }
  const begin = async (options = {}) => {
    const started = starter.run(ports.args, options)
    await started.ready
    return started
  }
  const end = async (started: ReturnType<Starter['run']>) => {
    started.child.kill('SIGTERM')
    return started.exit
  }
  const nobodyLeft = () =>
    expect
      .poll(async () => [await isListening(ports.hub), await isListening(ports.chain)])
      .toEqual([false, false])
  /** Has the hub send something, and waits until it is in a block. */
  const drip = async () => {
    const { post } = await signIn(origin(), undefined, undefined, origin().host)
    const response = await post('/v1/faucet/drip')
    expect(response.status).toBe(202)
    const { tx_hash: hash } = (await response.json()) as { tx_hash: string }
    await expect.poll(() => chain('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    return hash
  }

  describe('with its data intact', () => {
    let hash: string | undefined
    beforeAll(() => {
      starter = new Starter()
    })

    test.each(['npm', 'localnet/start.ts'])('%s killed with SIGKILL leaves no process', async (script) => {
      const started = await begin({ script })
      hash ??= await drip()
      started.child.kill('SIGKILL')
      await nobodyLeft()
      await expect.poll(() => existsSync(file('pid'))).toBe(false)
    })

    test('it goes on with everything; a hub that is killed comes back, without its chain it stops', async () => {
      const started = await begin()
      expect(started.output.stderr).not.toContain('Deploying')
      expect(await chain('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })

      process.kill(childNamed('workerd', starter.networkPid()), 'SIGKILL')
      await expect.poll(() => health().catch(() => null)).toMatchObject({ status: 'ok' })
      await drip()

      process.kill(childNamed('anvil', starter.networkPid()), 'SIGKILL')
      const { code, stderr } = await started.exit
      expect([code, stderr]).toEqual([1, expect.stringContaining('The chain ended by itself')])
    })

    test('the network killed with SIGKILL leaves no process either, and what looked after it says so', async () => {
      const started = await begin()
      process.kill(starter.networkPid(), 'SIGKILL')
      const { code, stderr } = await started.exit
      expect([code, stderr]).toEqual([1, expect.stringContaining('was ended by SIGKILL')])
    })

    test('killed with SIGKILL together with what looks after it, it is ended by the next start', async () => {
      const started = await begin({ script: 'localnet/start.ts' })
      const network = starter.networkPid()
      const left = ['anvil', 'workerd'].map((name) => childNamed(name, network))
      hash = await drip()
      // First the one that would look after the other.
      for (const pid of [started.child.pid as number, network]) process.kill(pid, 'SIGKILL')
      await started.exit
      for (const pid of left) expect(() => process.kill(pid, 0)).not.toThrow()

      const next = await begin()
      expect(next.output.stderr).toContain('Ended what an earlier network left running')
      for (const pid of left) expect(() => process.kill(pid, 0)).toThrow()
      // They were ended in order: nothing is lost.
      expect(next.output.stderr).not.toContain('set aside')
      expect(await chain('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
      await end(next)
    })

    test('a terminal that is gone takes nothing with it before it is stopped in order', async () => {
      const started = await begin({ script: 'localnet/start.ts' })
      started.child.stdout?.destroy()
      started.child.stderr?.destroy()
      started.child.kill('SIGHUP')
      expect((await started.exit).code).toBe(0)
      expect(existsSync(file('pid'))).toBe(false)
    })

    test('Ctrl-C while it starts ends what there is so far', async () => {
      const started = starter.run(ports.args)
      await expect.poll(() => started.output.stderr).toContain('Starting the hub')
      started.child.kill('SIGINT')
      expect((await started.exit).code).toBe(0)
    })
  })

  describe('with a chain that is not what it was', () => {
    let early: Buffer
    beforeAll(async () => {
      await starter.clear()
      starter = new Starter()
    })

    test('of two that start at once in one folder, one runs', async () => {
      const others = await freePorts()
      const both = [starter.run(ports.args), starter.run(others.args)]
      const outcomes = await Promise.all(
        both.map(({ ready, exit }) =>
          Promise.race([ready.then(() => 'ready'), exit.then(({ code }) => code)]),
        ),
      )
      expect(outcomes.sort()).toEqual([1, 'ready'])
      await Promise.all(both.map(end))
      early = readFileSync(file('chain.json'))
    })

    test('a chain that lost its last blocks is known by the block that the hub read last', async () => {
      const first = await begin()
      await drip()
      await expect
        .poll(async () => (await health()).chain.indexed_block === Number(await chain('eth_blockNumber')))
        .toBe(true)
      await end(first)
      writeFileSync(file('chain.json'), early)

      const second = await begin()
      expect(second.output.stderr).toContain(`set aside in ${file('storage.old')}`)
      expect(existsSync(file('storage.old'))).toBe(true)
      await drip()
      await end(second)
    })

    test('a chain that was not written completely is set aside, and both begin anew', async () => {
      const whole = readFileSync(file('chain.json'))
      writeFileSync(file('chain.json'), whole.subarray(0, whole.length / 2))
      const started = await begin()
      expect(started.output.stderr).toContain(`it is set aside in ${file('chain.json.old')}`)
      expect(started.output.stderr).toContain(`it is set aside in ${file('storage.old.2')}`)
      await drip()
      await end(started)
    })
  })

  test('--rpc runs on a chain of somebody else, which stays, and keeps its data apart', async () => {
    await starter.clear()
    starter = new Starter()
    const other = await startAnvil()
    const started = starter.run(['--no-sample', '--port', String(ports.hub), '--rpc', other.url])
    await started.ready
    expect(started.output.stdout).toContain(other.url)
    expect(existsSync(file('storage'))).toBe(false)
    await end(started)
    expect(await other.rpc('eth_chainId')).toBe('0x7a69')
    await other.stop()
  })

  test('--rpc on a chain where nobody has funds says who needs them', async () => {
    const other = await startAnvil({ flags: ['--balance', '0', '--chain-id', '1337'] })
    const { code, stderr } = await starter.run(['--port', '0', '--rpc', other.url]).exit
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot be deployed by 0xf39F.*who needs funds on this chain/)
    await other.stop()
  })
})
