import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Anvil } from '../contracts/anvil.ts'
import type { Deployment } from '../contracts/deploy.ts'
import { backUp } from '../deploy/backup/backup.ts'
import type { BackedDatabase } from '../deploy/backup/database.ts'
import { readRelayers } from '../deploy/backup/load-objects.ts'
import { backupFiles, type Manifest, readManifest } from '../deploy/backup/manifest.ts'
import type { Post } from '../deploy/backup/objects.ts'
import { loadDatabase, restoreInto } from '../deploy/backup/restore.ts'
import { signInOperator } from '../deploy/backup/sign-in.ts'
import { completeEnvironment } from '../deploy/testing/environments.ts'
import { localDatabase, statePathIn } from '../deploy/testing/local-database.ts'
import { type Hub, startHub } from '../localnet/hub.ts'
import { pickPort } from '../localnet/port.ts'
import { bundleHub } from '../scripts/bundle.ts'
import { hasAnvil, startAnvil } from '../testing/anvil.ts'
import { deployNetwork, relayerKey } from '../testing/deployed-chain.ts'
import { driver, driverOf } from '../testing/driver.ts'
import { type Registration, register, registeredProjects } from '../testing/registrations.ts'
import type { RelayerStub } from '../testing/relayer-network.ts'
import { type Session, signIn } from '../testing/session.ts'

const operatorKey = generatePrivateKey()
const keyVariable = 'RESTORE_TEST_OPERATOR_KEY'
process.env[keyVariable] = operatorKey
const signer = privateKeyToAddress(relayerKey).toLowerCase()

/** A hub in a folder in which wrangler finds its database. */
interface Environment {
  readonly hub: Hub
  readonly database: BackedDatabase
  readonly relayer: Pick<RelayerStub, 'accept' | 'relay' | 'find' | 'health'>
  readonly operator: Session
  readonly post: Post
}

describe.skipIf(!hasAnvil)('a network that is lost', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'restore-'))
  let chain: Anvil
  let deployment: Deployment
  const running: Hub[] = []
  beforeAll(async () => {
    chain = await startAnvil()
    deployment = await deployNetwork(chain)
    await chain.rpc('anvil_setBalance', signer, '0x56bc75e2d63100000')
    await chain.rpc('evm_setAutomine', false)
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    for (const hub of running) await hub.stop()
    await chain?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const stateOf = (name: string) => statePathIn(path.join(root, name))
  const databaseOf = (name: string) => localDatabase(path.join(root, name))

  async function start(name: string): Promise<Environment> {
    const port = await pickPort()
    const hub = await startHub({
      script: await bundleHub(),
      ...{ port, statePath: stateOf(name), callersNameAddress: true, files: false, extraWorkers: { driver } },
      vars: {
        HUB_SECRET: 'a secret that only tests know, long enough',
        BASE_URL: `http://localhost:${port}`,
        LOCAL_NETWORK: 'true',
        OPERATOR_ADDRESSES: privateKeyToAddress(operatorKey).toLowerCase(),
        CHAIN_RPC_URL: chain.url,
        CHAIN_CONTRACTS: JSON.stringify(deployment.contracts),
        CHAIN_START_BLOCK: String(deployment.startBlock),
        ...{
          CHAIN_CONFIRMATIONS: '1',
          CHAIN_BLOCK_SECS: '2',
          RELAYER_TICK_MS: '50',
          RELAYER_STUCK_MS: '60000',
        },
        RELAYER_PRIVATE_KEY: relayerKey,
      },
    })
    running.push(hub)
    const call = driverOf(await hub.miniflare.unsafeGetDirectURL('driver'), 'RELAYER', `31337:${signer}`)
    const operator = await signIn(hub.urls[0]!, undefined, operatorKey)
    return {
      ...{ hub, operator, database: databaseOf(name) },
      relayer: {
        accept: (request) => call('accept', request),
        relay: (request) => call('relay', request),
        find: (id) => call('find', id),
        health: () => call('health'),
      },
      post: await signInOperator(`http://localhost:${port}`, `localhost:${port}`, keyVariable),
    }
  }

  /** Every third answer to an operator is lost, and sessions end early. */
  function loseAnswers(): void {
    const send = globalThis.fetch
    let calls = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (request, init) => {
      if (!(request instanceof Request && request.url.includes('/admin/'))) return send(request, init)
      calls += 1
      if (calls === 5)
        return Response.json({ error: 'unauthorized', message: 'It has ended.' }, { status: 401 })
      const answer = await send(request)
      if (calls % 3 > 0) return answer
      await answer.body?.cancel()
      throw new TypeError('fetch failed')
    })
  }

  const mine = () => chain.rpc('evm_mine')
  const sentByRelayer = async () => Number(await chain.rpc('eth_getTransactionCount', signer, 'latest'))
  const backUpInto = (folder: string, { database, post }: Environment): Promise<Manifest> =>
    backUp({
      ...{
        environment: completeEnvironment(),
        database,
        post,
        folder,
        secrets: ['HUB_SECRET'],
        now: new Date(),
      },
      blockNumber: async () => Number(await chain.rpc('eth_blockNumber')),
      say: () => {},
    })

  test('is restored elsewhere from a backup, although answers are lost: no action is lost, and none is sent twice', async () => {
    loseAnswers()
    const first = await start('first')
    await first.hub.runSchedule()
    const give = async (request: Registration) => {
      expect(await first.relayer.relay(request)).toMatchObject({ status: 'accepted' })
      return request
    }
    const statusIn = async ({ relayer }: Environment, { id }: Registration) =>
      (await relayer.find(id))?.status
    const final = await give(register(deployment.contracts))
    await mine()
    await expect.poll(() => statusIn(first, final)).toBe('confirmed')
    // Signed and sent, and in no block.
    const sent = [await give(register(deployment.contracts)), await give(register(deployment.contracts))]

    const folder = path.join(root, 'backup')
    await backUpInto(folder, first)
    await expect(backUpInto(folder, first)).rejects.toThrow('is not empty')

    // Data that the backup does not have: blocks, and an action that was accepted and sent.
    const later = await give(register(deployment.contracts))
    await mine()
    await expect.poll(() => statusIn(first, later)).toBe('confirmed')
    const count = await sentByRelayer()
    await first.hub.stop()
    running.splice(0)
    cpSync(path.join(stateOf('first'), 'r2'), path.join(stateOf('second'), 'r2'), { recursive: true })
    rmSync(path.join(root, 'first'), { recursive: true })

    const manifest = await readManifest(folder)
    const database = databaseOf('second')
    await loadDatabase(database, folder)
    const file = path.join(folder, backupFiles.objects)
    const relayers = await readRelayers({
      file,
      block: manifest.block,
      rpcUrls: [chain.url],
      nowMs: Date.now(),
    })
    const second = await start('second')
    const options = { folder, manifest, relayers, say: () => {}, post: second.post }
    await restoreInto(options)

    // It is known what became of each, and nothing is sent again.
    for (const request of [final, ...sent])
      expect(await second.relayer.relay(request)).toMatchObject({ status: 'accepted' })
    expect(await second.relayer.relay(later)).toMatchObject({
      status: 'refused',
      name: 'InvalidAccountNonce',
    })
    await mine()
    for (const request of [final, ...sent])
      await expect.poll(() => statusIn(second, request)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(count)
    // New actions follow, and the index goes on from where the database was.
    const next = register(deployment.contracts)
    await second.relayer.relay(next)
    await mine()
    await expect.poll(() => statusIn(second, next)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(count + 1)
    const projects = [final, ...sent, later, next].map(({ projectId }) => projectId)
    expect((await registeredProjects(chain, deployment.contracts)).sort()).toEqual(projects.sort())
    await second.hub.runSchedule()
    const head = Number(await chain.rpc('eth_blockNumber'))
    const indexed = async () =>
      ((await (await second.operator.get('/v1/status')).json()) as Status).chain.head_block
    await expect.poll(indexed).toBe(head)
    // It is in use now.
    await expect(restoreInto(options)).rejects.toThrow('is in use')
  })
})

interface Status {
  chain: { head_block: number }
}
