import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import {
  findGenerationProblem,
  parseSignedGeneration,
  type SignedGeneration,
  signGeneration,
  type ValidatorGeneration,
} from '../../../../protocol/committees/index.ts'
import {
  defaultNetworkParams,
  readRequestSignature,
  resolveProfile,
  verifyRequestSignature,
} from '../../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { createNode, createOperator, type TestNode } from '../../../test/callers.ts'
import { bodyOf, type Client, client, pagesOf } from '../../../test/client.ts'
import { ScriptedBlocks } from '../../../test/scripted-blocks.ts'
import { emptyTables, runSql } from '../../../test/tables.ts'

const profile = resolveProfile()
export const coordinatorSeed = `0x${'5e'.repeat(32)}`
const coordinator = ed25519PublicKey(coordinatorSeed)
/** Later than the clock of the machine, so that no alarm of these tests is due by it. */
export const start = Math.floor(Date.now() / 1000) + 7_200
export const lead = defaultNetworkParams.snapshot_lead_secs

export const keeper = () => env.GENERATION_KEEPER.getByName('validators')
export const setTime = (time: number) => vi.setSystemTime(time * 1000)
export const idsOf = (nodes: readonly TestNode[]) => nodes.map(({ nodeId }) => nodeId)

/** Has the hub ask for signatures, should it have to. */
export const gather = () => runDurableObjectAlarm(keeper())

/** The public list of the validators. */
export const readValidators = (query = '') => bodyOf(client().get(`/v1/validators${query}`))
export const namesOf = ({ validators: shown }: { validators: { node_id: string }[] }) =>
  new Set(shown.map(({ node_id }) => node_id))

/** The chain as nodes read it, from the first. */
export async function readChain(limit = 50): Promise<SignedGeneration[]> {
  const pages = await pagesOf(client(), '/v1/validators/generations', limit)
  return pages
    .flat()
    .map((item) => parseSignedGeneration(profile, item))
    .reverse()
}

/** Verifies the chain as a node does. */
export async function verifiedChain(): Promise<ValidatorGeneration[]> {
  const generations = await readChain()
  for (const [i, one] of generations.entries())
    expect(findGenerationProblem(profile, generations[i - 1]?.document ?? null, one, coordinator)).toBeNull()
  return generations.map(({ document }) => document)
}

/** An operator, and validators behind `fetch` that sign generations unless they are away; new for each test of a file. */
export function validatorScene() {
  const chain = new ScriptedBlocks()
  let operator: Client
  /** Validators that do not answer. */
  const away = new Set<string>()
  /** The validators that were asked, in the order of the calls. */
  const asked: string[] = []

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    setTime(start)
    chain.hosts.clear()
    chain.install()
    away.clear()
    asked.length = 0
    await emptyTables(
      'nodes',
      'validator_generations',
      'pending_generations',
      'pending_generation_signatures',
    )
    await emptyTables('audit_log')
    ;({ client: operator } = await createOperator())
  })
  afterEach(() => vi.useRealTimers())

  /** A validator that has registered, and signs what the coordinator asks it to. */
  async function register(name: string): Promise<TestNode> {
    const node = createNode()
    const host = `${name}.validators.example`
    await runSql(
      "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'validator', 'pending', ?, 1)",
      node.nodeId,
      node.publicKey,
      `https://${host}`,
    )
    chain.hosts.set(host, async (request) => {
      const { pathname } = new URL(request.url)
      const body = new Uint8Array(await request.arrayBuffer())
      const signature = readRequestSignature(
        profile,
        (header) => request.headers.get(header),
        Math.floor(Date.now() / 1000),
        300,
      )
      const signed = { method: 'POST', target: pathname, body } as const
      if (signature === null || !verifyRequestSignature(profile, signed, signature))
        throw new Error('unsigned')
      expect([pathname, signature.public_key]).toEqual(['/consensus/validator-generations', coordinator])
      asked.push(name)
      if (away.has(name)) return new Response(null, { status: 503 })
      // Without the coordinator's signature, which comes last.
      const { document, ...more } = JSON.parse(new TextDecoder().decode(body)) as {
        document: ValidatorGeneration
      }
      expect(more).toEqual({})
      return Response.json(signGeneration(profile, node.key, document))
    })
    return node
  }

  const registerAll = (...names: string[]) => Promise.all(names.map(register))
  const registerFour = async () =>
    (await registerAll('one', 'two', 'three', 'four')) as [TestNode, TestNode, TestNode, TestNode]

  /** Four validators in generation 0, of which two do not answer, and one that may join them. */
  async function beginWithTwoAway() {
    const first = await registerFour()
    await genesis(first)
    const joining = await register('new')
    for (const name of ['three', 'four']) away.add(name)
    return { first, joining }
  }

  const genesis = (nodes: readonly TestNode[]) =>
    operator.post('/admin/v1/validators/genesis', { node_ids: idsOf(nodes) })
  const change = (body: { approve?: string[]; revoke?: string[]; emergency?: boolean }) =>
    operator.post('/admin/v1/validators/generations', body)

  const pending = async () => (await bodyOf(operator.get('/admin/v1/validators/pending'))).pending

  return {
    ...{ chain, away, asked, register, registerAll, registerFour, beginWithTwoAway },
    ...{ genesis, change, pending },
    get operator() {
      return operator
    },
  }
}
