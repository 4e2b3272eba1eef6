import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { callBatch } from '../contracts/json-rpc.ts'
import { type Chain, startChain } from './chain.ts'
import { probePort } from './port.ts'
import { hasAnvil } from './testing/anvil.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'localnet-chain-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = path.join(folder, 'chain.json')

describe.skipIf(!hasAnvil)('a chain', () => {
  const begin = async (state: string) => startChain(state, await probePort(0), () => {})

  test('is on disk soon after each block, for one that is killed and for one that is stopped', async () => {
    const chain = await begin(file)
    await call(chain, 'evm_mine')
    await expect.poll(() => savedHead(file)).toBe(1)
    await call(chain, 'evm_mine')
    await expect.poll(() => savedHead(file), { timeout: 10_000 }).toBe(2)
    const { hash } = await latest(chain)
    // What a kill at this moment would leave.
    const killed = path.join(folder, 'killed.json')
    copyFileSync(file, killed)
    await chain.stop()

    for (const state of [killed, file]) {
      const again = await begin(state)
      expect((await latest(again)).hash).toBe(hash)
      await again.stop()
    }
  })

  test('that cannot be written down goes on, and says so once', async () => {
    const notes: string[] = []
    const gone = path.join(folder, 'gone')
    const chain = await startChain(path.join(gone, 'chain.json'), await probePort(0), (text) =>
      notes.push(text),
    )
    // anvil makes the folder of its file at the start.
    rmSync(gone, { recursive: true, force: true })
    await call(chain, 'evm_mine')
    await expect.poll(() => notes).toEqual([expect.stringContaining('cannot be written down: ENOENT')])
    await call(chain, 'evm_mine')
    expect(Number(await call(chain, 'eth_blockNumber'))).toBe(2)
    await chain.stop()
    expect(notes).toHaveLength(1)
  })
})

const call = ({ url }: Chain, method: string, ...params: unknown[]) =>
  callBatch(url, [[method, ...params]]).then(([answer]) => answer)

const latest = async (chain: Chain) =>
  (await call(chain, 'eth_getBlockByNumber', 'latest', false)) as { hash: string }

const savedHead = (state: string): number | null =>
  existsSync(state) ? Number(JSON.parse(readFileSync(state, 'utf8')).best_block_number) : null
