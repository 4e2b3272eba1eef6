/**
 * A miner that breaks a rule in its first tasks, for the demo: it speaks the protocol with a key of its own, and
 * no node has a switch for that.
 *
 *   node tools/demo/dishonest-node.ts lies|votes-twice DATA_DIR HUB BUILD
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  type ExecutionEvent,
  type ExecutionReceipt,
  hashedMembers,
  hashPayload,
} from '../../protocol/execution/index.ts'
import { defaultNetworkParams, profileStrings } from '../../protocol/identity/index.ts'
import { type OfferFrame, parseHubFrame, writeNodeFrame } from '../../protocol/link/index.ts'
import { createTaskVote, type Task } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { type Network, readNetwork } from '../../scripts/hub/network.ts'
import { Client } from '../../sdk/client.ts'
import { hubWithNodeKey, nodeCredential } from '../../sdk/node.ts'

const heartbeatMs = 5_000
const slots = 16
/** Tasks in which it breaks the rule; one of them may have been too late to count. */
const breachesMax = 2
const limits = defaultNetworkParams

/** How a node breaks the rules in its first tasks. */
export type Mode = 'lies' | 'votes-twice'

interface Run {
  readonly receipt: ExecutionReceipt
  readonly output: Uint8Array
  readonly events: readonly ExecutionEvent[]
}

const [mode, dataDir, hub, build] = process.argv.slice(2) as [Mode, string, string, string]
const seed = `0x${readFileSync(path.join(dataDir, 'node.key'), 'utf8').trim()}`
const network = await readNetwork(hub)
const scratch = mkdtempSync(path.join(tmpdir(), 'dishonest-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))

let breaches = 0
const node = hubWithNodeKey({ url: hub, key: seed })
const beat = async () => {
  await node.call('POST /v1/nodes/heartbeat', { body: { status: 'online' } })
}
await beat()
setInterval(() => void beat().catch(tell), heartbeatMs)
await connect(network)

async function connect({ profile }: Network): Promise<void> {
  const target = { method: 'GET', path: '/v1/relay', body: undefined }
  const anyone = new Client({ url: hub })
  const headers = await nodeCredential(anyone, seed).headers(target, AbortSignal.timeout(60_000))
  const url = `${hub.replace(/^http/, 'ws')}/v1/relay`
  const socket = new WebSocket(url, { protocols: profileStrings(profile).relay_subprotocol, headers })
  socket.addEventListener('message', ({ data }) => {
    const frame = parseHubFrame(String(data), limits)
    if (frame.type === 'offer') void work(socket, frame).catch(tell)
    if (frame.type === 'error') tell(`${frame.code}: ${frame.message}`)
    if (frame.type !== 'hello') return
    const ready = { type: 'ready', slots, engine: 'native', nodectl_version: '1.0.0', holding: [] } as const
    socket.send(writeNodeFrame(ready, limits))
    console.log('connected')
  })
  socket.addEventListener('close', ({ code, reason }) => {
    tell(`the hub closed the socket: ${code} ${reason}`)
    process.exit(1)
  })
}

async function work(socket: WebSocket, offer: OfferFrame): Promise<void> {
  const { offer_id, task, position } = offer
  socket.send(writeNodeFrame({ type: 'accept', offer_id }, limits))
  const payout = await readPayout(task)
  const truth = await run(task, Buffer.from(offer.input_b64 ?? '', 'base64'))
  for (const { receipt, output, events } of breaches < breachesMax ? breachOf(truth) : [truth]) {
    const content = { task, receipt, payout_address: payout, position }
    const vote = createTaskVote(network.profile, seed, content)
    const output_b64 = Buffer.from(output).toString('base64')
    socket.send(writeNodeFrame({ type: 'vote', offer_id, vote, output_b64, events }, limits))
    console.log(`voted for ${vote.receipt_hash} in ${vote.round_id}`)
  }
}

/** The runs that it votes for instead of the true one alone. */
function breachOf(truth: Run): Run[] {
  breaches += 1
  const { receipt, events } = truth
  const output = new TextEncoder().encode('whatever pays')
  const lie = { receipt: { ...receipt, output_hash: hashPayload(output) }, output, events }
  return mode === 'lies' ? [lie] : [truth, lie]
}

/** The address that the rewards of this node go to in the epoch of a task. */
async function readPayout({ project_id, epoch }: Task): Promise<string> {
  const params = { path: { project_id, epoch } }
  const { snapshot } = await network.client.call('GET /v1/committees/{project_id}/{epoch}', params)
  const own = snapshot.entries.find(({ node_key }) => node_key === ed25519PublicKey(seed))
  if (own === undefined) throw new Error(`the set of epoch ${epoch} does not have this node`)
  return own.payout_address
}

/** Runs a task with nodectl, as an honest node would. */
async function run({ module_address, function: name, gas_limit }: Task, input: Uint8Array): Promise<Run> {
  const module = path.join(scratch, `${module_address}.hbc`)
  writeFileSync(
    module,
    await network.client.call('GET /v1/modules/{address}/hbc', { path: { address: module_address } }),
  )
  const given = path.join(scratch, `${hashPayload(input)}.input`)
  writeFileSync(given, input)
  const args = ['run', module, name, '--input-file', given, '--gas', String(gas_limit)]
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(build, 'nodectl.mjs'), ...args])
  const { output, receipt } = JSON.parse(stdout)
  return {
    receipt: hashedMembers(receipt.receipt),
    output: new TextEncoder().encode(output ?? ''),
    events: receipt.receipt.events,
  }
}

function tell(problem: unknown): void {
  console.error(problem instanceof Error ? problem.message : problem)
}
