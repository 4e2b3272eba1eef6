import { generatePrivateKey } from 'viem/accounts'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import { type GaslessPayload, hashAction } from '../protocol/actions/index.ts'
import { packArtifact } from '../protocol/hbc/artifact.ts'
import { echoManifest, echoWasm } from '../protocol/hbc/testing/artifacts.ts'
import { deriveProjectId, deriveVaultAddress, resolveProfile } from '../protocol/identity/index.ts'
import { type ProjectManifest, signManifest } from '../protocol/manifest/index.ts'
import { evmAddress, signEvmDigest } from '../protocol/signatures/index.ts'
import { manifestExample } from '../workers/routes/projects/example.ts'
import { sendMined } from './anvil.ts'
import { type RelayerNetwork, startRelayerNetwork } from './relayer-network.ts'
import { freshAddress, type Session, signIn } from './session.ts'
import { cpuMs, ownWorkerds } from './workerd.ts'

const profile = resolveProfile()

/** A transaction that the owner may send itself. */
interface OwnTransaction {
  to: string
  data: string
}

/** One wallet with a signed action that the hub has not been given yet. */
interface Owner {
  session: Session
  projectId: string
  signed: object
  registerTx: OwnTransaction
}

/** Settings of the hub. */
export const relayingVars = {
  RELAYER_TICK_MS: '200',
  RELAYER_STUCK_MS: '10000',
  AUTO_APPROVE_DEVELOPERS: 'true',
  RATE_LIMIT_MULTIPLIER: '1000',
}

interface Posts {
  readonly owners: number
  /** Owners that sign what the contract would revert. */
  readonly refused: number
  /** Owners that post theirs `times` times. */
  readonly repeated: number
  readonly times: number
}

/** Lets owners post one signed action each, all at once, to the route of the action, in a hub on a chain of its own. */
export async function relayOfOwners({ anvilFlags, ...posts }: Posts & { anvilFlags: readonly string[] }) {
  const network = await startRelayerNetwork({ anvilFlags, vars: relayingVars })
  try {
    return await relayOfOwnersOn(network, posts)
  } finally {
    await network.stop()
  }
}

/** The same on a network whose hub has {@link relayingVars}. */
export async function relayOfOwnersOn(
  network: RelayerNetwork,
  { owners: count, refused, repeated, times }: Posts,
) {
  const owners = await createOwners(network, count)
  // Owners that registered by themselves cannot be registered by signature; nobody has told the hub.
  for (const { session, registerTx } of owners.slice(0, refused))
    await sendAs(network, session.wallet, registerTx)
  const before = await network.relayer.mined()
  const latencies: number[] = []
  const workerds = ownWorkerds()
  const cpuBefore = cpuMs(workerds)
  const startedMs = performance.now()
  const post = async ({ session, projectId, signed }: Owner) => {
    const postedMs = performance.now()
    const response = await session.post(`/v1/developers/projects/${projectId}/register`, signed)
    const { id } = (await response.json()) as { id?: string }
    latencies.push(performance.now() - postedMs)
    return { status: response.status, id }
  }
  const first = owners.map(post)
  const again = owners
    .slice(refused, refused + repeated)
    .flatMap((owner) => Array.from({ length: times - 1 }, async () => ({ owner, answer: await post(owner) })))
  const answers = await Promise.all(first)
  const answeredMs = performance.now() - startedMs
  const accepted = answers.filter(({ status }) => status === 202).length
  while ((await network.relayer.mined()) - before < accepted) await turn()
  const minedMs = performance.now() - startedMs
  const repetitions = await Promise.all(again)
  while ((await network.relayer.health()).open > 0) await turn()

  const byStatus: Record<number, number> = {}
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1
  const projects = await network.done()
  const expected = new Set(
    owners.filter((_, index) => answers[index]?.status === 202).map(({ projectId }) => projectId),
  )
  const pool = await network.chain.rpc<{ pending: string; queued: string }>('txpool_status')
  return {
    /** First answers, by status. */
    answers: byStatus,
    /** Answers to repetitions that are about another action than the first. */
    differing: repetitions.filter(
      ({ owner, answer }) => answer.status !== 202 || answer.id !== answers[owners.indexOf(owner)]?.id,
    ).length,
    /** Transactions of the relaying key. */
    nonces: (await network.relayer.mined()) - before,
    /** Projects of accepted actions that the chain has once, and those that it has more than once. */
    done: [...new Set(projects)].filter((id) => expected.has(id)).length,
    twice: projects.length - new Set(projects).size,
    waiting: Number(pool.pending) + Number(pool.queued),
    /** How long it took until all were answered, and until the last one was in a block. */
    answeredMs,
    minedMs,
    cpuMs: cpuMs(workerds) - cpuBefore,
    /** Of first answers, in milliseconds and ascending. */
    latencies: latencies.sort((a, b) => a - b),
  }
}

/** Developers with a project each, submitted and ready to be registered. */
async function createOwners(network: RelayerNetwork, count: number): Promise<Owner[]> {
  const hub = network.hub.urls[0] as URL
  const { bytes, manifestAddress } = packArtifact(echoManifest, echoWasm)
  const { post } = await signIn(hub)
  const uploaded = await post('/v1/modules', { hbc_b64: Buffer.from(bytes).toString('base64') })
  const { functions } = (await uploaded.json()) as { functions: string[] }
  const worker = { address: manifestAddress, functions }

  const owners: Owner[] = []
  const create = async () => {
    const key = generatePrivateKey()
    const session = await signIn(hub, freshAddress(), key)
    await session.post('/v1/developers/me/enrollment', {
      developer_type: 'individual',
      display_name: 'Ada',
      agreements_accepted: true,
    })
    const manifest = manifestOf(network.contracts, evmAddress(key), worker)
    const submitted = await session.post('/v1/developers/projects', {
      manifest,
      sig_type: 'eip191',
      signature: signManifest(key, manifest),
    })
    if (submitted.status !== 201) throw new Error(await submitted.text())
    const { register_by_sig, register_tx } = (await submitted.json()) as {
      register_by_sig: GaslessPayload
      register_tx: OwnTransaction
    }
    const { domain, message } = register_by_sig.typed_data
    return {
      session,
      projectId: deriveProjectId(profile, manifest.developer, manifest.slug),
      signed: {
        typed_data: register_by_sig.typed_data,
        signature: signEvmDigest(key, hashAction(domain, 'Register', message)),
      },
      registerTx: register_tx,
    }
  }
  while (owners.length < count)
    owners.push(...(await Promise.all(Array.from({ length: Math.min(10, count - owners.length) }, create))))
  return owners
}

function manifestOf(
  contracts: ContractAddresses,
  developer: string,
  worker: { address: string; functions: string[] },
): ProjectManifest {
  const { consensus, slug } = manifestExample
  const vault = deriveVaultAddress(
    contracts.vault_factory,
    contracts.vault_implementation,
    deriveProjectId(profile, developer, slug),
  )
  return {
    ...manifestExample,
    network: profile.network,
    developer,
    consensus: {
      ...consensus,
      modules: { worker: worker.address, verifier: null },
      work: { ...consensus.work, functions: worker.functions },
      economics: { ...consensus.economics, reward_token: contracts.token, vault },
    },
  }
}

async function sendAs({ chain }: RelayerNetwork, account: string, { to, data }: OwnTransaction) {
  await chain.rpc('anvil_setBalance', account, `0x${(10n ** 18n).toString(16)}`)
  await chain.rpc('anvil_impersonateAccount', account)
  await sendMined(chain, { from: account, to, data })
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))
