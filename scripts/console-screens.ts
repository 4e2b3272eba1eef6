import { createHub } from '../sdk/index.ts'

const sample = 'sample-echo'

/** A path of every screen of a console, on a hub whose sample project has a final round: its devices were in the committee. */
export async function consoleScreens(origin: string): Promise<Record<string, string>> {
  const { call } = createHub({ url: origin })
  const {
    items: [round],
  } = await call('GET /v1/explorer/rounds', { query: { limit: 1, kind: 'task', project_id: sample } })
  if (round?.project_id === undefined) throw new Error('The hub has no round of its sample project.')
  const { round_id, project_id, epoch, receipt_hash } = round
  const { committee } = await call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } })
  const attested = await call('GET /v1/explorer/epochs', { query: { limit: 1 } })
  const paid = attested.items.find((one) => one.project_id === project_id)
  const slashes = await call('GET /v1/explorer/slashes', { query: { limit: 1 } })
  const device = committee?.draw[0]?.node_id
  if (device === undefined) throw new Error('The round has no committee.')
  const { owner } = await call('GET /v1/devices/{node_id}', { path: { node_id: device } })
  return {
    home: '/',
    projects: '/projects',
    project: `/projects/${project_id}`,
    try: `/projects/${sample}/try`,
    rounds: '/rounds',
    round: `/rounds/${encodeURIComponent(round_id)}`,
    receipt: `/receipts/${receipt_hash}`,
    node: `/nodes/${device}`,
    account: `/accounts/${owner}`,
    epoch: `/epochs/${project_id}/${paid?.epoch ?? epoch}`,
    // A new network has none.
    ...(paid?.settlement?.tx_hash && { transaction: `/tx/${paid.settlement.tx_hash}` }),
    ...(slashes.items[0] && { slash: `/slashes/${slashes.items[0].evidence_hash}` }),
    search: '/search?q=echo',
    status: '/status',
    faucet: '/faucet',
    'run-a-device': '/run-a-device',
    build: '/build',
    'build-project': `/build/projects/${project_id}`,
  }
}

/** Screens that only somebody who is signed in sees. */
export const ownScreens = {
  me: '/me',
  'me-earnings': '/me?part=earnings',
  'me-collateral': '/me?part=collateral',
  'me-slashes': '/me?part=slashes',
  'me-notifications': '/me?part=notifications',
  'build-projects': '/build',
  'build-drafts': '/build?part=drafts',
  'build-keys': '/build?part=keys',
  'build-webhooks': '/build?part=webhooks',
} as const

/** Screens that only an operator sees. */
export const operatorScreens = [
  '/operate',
  ...['nodes', 'reports', 'bans', 'slashes', 'machine', 'collections', 'faucet', 'audit'].map(
    (part) => `/operate?part=${part}`,
  ),
]

/** Whether a screen has started, and has everything that it reads. */
export const isSettled = (): boolean =>
  document.querySelector('h1') !== null && document.querySelector('[inert], [aria-label="Loading"]') === null

declare const document: { querySelector(selector: string): unknown }
