/** `npm run -s subscribe`: has a bound device work for a project, with collateral bonded by signature. */
import { isBytes32 } from '../protocol/encoding/index.ts'
import { deriveSubscriptionId, isSlug } from '../protocol/identity/index.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { type Network, readEconomics, readNetwork } from '../scripts/hub/network.ts'
import type { Payload, Wallet } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import type { Schemas } from '../sdk/index.ts'
import { amountHelp, exampleAmount, inTokens, readAmount } from './amounts.ts'
import { requireBalance } from './balance.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'
import { exampleNode } from './options/node.ts'
import { print, printStep } from './print.ts'
import { printedFetch, printedRelay, printedSignIn, waitForRecord } from './printed-calls.ts'

type Device = Schemas['Device']

const usage = `Usage: npm run -s subscribe -- NODE_ID [--project PROJECT] [--collateral AMOUNT] [--as NAME | --key-env VARIABLE] [--hub URL]

Signs in as the owner of a device, subscribes the device to a project, and bonds the collateral by signature, without a
transaction or native currency. Prints every request, and the id of the subscription last. A second run continues where
the first one stopped.

  NODE_ID              the device, as nodectl id prints it; nodectl bind has bound it to the wallet
  --project PROJECT    id or slug of a listed project (default: the only listed project)
  --collateral AMOUNT  the amount to bond (default: the minimum of the project), ${amountHelp}
  ${keyHelp('miner')}
  --hub URL            ${hubHelp}

Examples:
  npm run -s subscribe -- ${exampleNode}
  npm run -s subscribe -- ${exampleNode} --project hello --collateral "${exampleAmount(100)}"`

await runCommand(async () => {
  const options = {
    ...keyOptions,
    project: { type: 'string' },
    collateral: { type: 'string' },
    hub: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [nodeId] = positionals
  if (nodeId === undefined || positionals.length > 1) throw new UsageError(`Name one device.\n\n${usage}`)
  const { project } = values
  if (project !== undefined && !isBytes32(project) && !isSlug(project))
    throw new UsageError(`--project must be the id or the slug of a project, not "${project}".`)
  // Of which token it is, the network says.
  if (values.collateral !== undefined) readCollateral(values.collateral, null)
  const hub = readHub(values.hub)
  const key = readKey(values, 'miner', hub)

  printStep('Read the network descriptor, and sign in')
  const network = await readNetwork(hub, printedFetch)
  if (network.contracts === null) throw new HubError(`the hub at ${hub} has no chain to bond collateral on`)
  const collateral =
    values.collateral === undefined
      ? undefined
      : readCollateral(values.collateral, network.profile.token_symbol)
  const wallet = await printedSignIn(network, key)
  const device = await readDevice(network, wallet, nodeId)
  const projectId = await findProject(network, project)
  console.log(`\n${await subscribe(network, wallet, { device, projectId, collateral })}`)
})

function readCollateral(text: string, symbol: string | null): string {
  const amount = readAmount('--collateral', text, symbol)
  if (amount === '0') throw new UsageError('--collateral must be more than 0.')
  return amount
}

async function readDevice(network: Network, wallet: Wallet, nodeId: string): Promise<Device> {
  const path = { node_id: nodeId }
  const device = await wallet.client.find('GET /v1/devices/{node_id}', { path })
  if (device === null)
    throw new HubError(
      `no device ${nodeId} is bound; nodectl bind --hub-url ${network.hub} --owner ${wallet.address} does that`,
    )
  if (device.owner !== wallet.address)
    throw new HubError(`${nodeId} is bound to ${device.owner}, and the wallet is ${wallet.address}`)
  return device
}

/** The project of that id or slug; without either the only one that is listed. */
async function findProject({ client }: Network, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined && isBytes32(wanted)) return wanted
  const { items, next_cursor } = await client.call('GET /v1/projects', {
    query: { limit: 100, ...(wanted !== undefined && { q: wanted }) },
  })
  const found = items.filter(({ slug }) => wanted === undefined || slug === wanted)
  const [project] = found
  if (project !== undefined && found.length === 1 && (wanted !== undefined || next_cursor === null))
    return project.project_id
  if (wanted !== undefined)
    throw new HubError(`${found.length === 0 ? 'no' : 'more than one'} listed project has the slug ${wanted}`)
  const names = items.slice(0, 10).map(({ project_id, slug }) => `\n  ${project_id}  ${slug}`)
  throw new HubError(
    names.length === 0 ? 'no project is listed' : `name one of the projects with --project:${names.join('')}`,
  )
}

interface Wish {
  readonly device: Device
  readonly projectId: string
  readonly collateral: string | undefined
}

/** @returns The id of the subscription, which has its collateral. */
async function subscribe(network: Network, wallet: Wallet, wish: Wish): Promise<string> {
  const { client, address: owner } = wallet
  const { device, projectId } = wish
  const subscriptionId = deriveSubscriptionId(projectId, owner, device.public_key)
  const params = { path: { subscription_id: subscriptionId } }

  printStep('Subscribe the device to the project')
  const known = await client.find('GET /v1/subscriptions/{subscription_id}', params)
  if (known !== null && known.status !== 'pending_collateral') {
    print('=', `the subscription is ${known.status}, with ${inTokens(network, known.collateral)}`)
    return subscriptionId
  }
  const economics = await readEconomics(client, projectId)
  const amount = wish.collateral ?? economics.min_collateral
  await requireBalance(network, wallet, amount, 'bonds')
  const bond: Payload =
    known === null
      ? await create(wallet, { project_id: projectId, node_id: device.node_id, collateral: amount })
      : await client.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
          ...params,
          body: { amount },
        })

  printStep(`Bond ${inTokens(network, amount)}: one signature for the bond, one for the permit`)
  const wanted = { owner, projectId, nodeKey: device.public_key, amount }
  await printedRelay(network, wallet, bond, wanted, (body) =>
    client.call('POST /v1/subscriptions/{subscription_id}/bond', { ...params, body }),
  )
  await waitForRecord(
    'the bond to be indexed',
    wallet,
    'GET /v1/subscriptions/{subscription_id}',
    params,
    ({ status }) => status === 'active',
  )
  const next = Math.floor((await network.now()) / economics.epoch_secs) + 1
  print(
    '·',
    `committees can include the device from epoch ${next} or ${next + 1} on; an epoch lasts ${economics.epoch_secs} s`,
  )
  return subscriptionId
}

async function create({ client }: Wallet, body: Schemas['SubscriptionInput']): Promise<Payload> {
  const { bond, compatibility } = await client.call('POST /v1/subscriptions', { body })
  const { compatible, tier, match_bp, warnings } = compatibility
  print(
    '·',
    `compatible: ${compatible}, ${tier}, ${match_bp / 100} % met, warnings: ${warnings.join(', ') || 'none'}`,
  )
  return bond
}
