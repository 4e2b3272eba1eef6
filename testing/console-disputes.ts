import { randomBytes } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { sampleSlug } from '../localnet/sample/manifest.ts'
import { createBindingRecord, deriveNodeId } from '../protocol/identity/index.ts'
import type { Task } from '../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { readBalance } from '../scripts/hub/balance.ts'
import { connectTo, type Network, readNetwork } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'
import { signIn, type Wallet } from '../scripts/hub/wallet.ts'
import { installWallet, type WalletMood } from './browser-wallet.ts'
import { findScreenFaults } from './console.ts'
import { endSession, follow, limitOnce, lookUntil, openFlow, passTime, signInWith } from './console-flow.ts'
import { equivocationOf } from './equivocation.ts'
import { payloads } from './hostile-texts.ts'
import { runTool } from './run-tool.ts'

/** The reason that the owner gives to the arbiter. */
const reason = `The key was copied. ${payloads[2]}`
const link = 'https://miner.example/report'
const notes = 'The report shows who had the key.'
const cancel = 'Cancel the slash'
const uphold = 'Reject the dispute'

/**
 * A device votes twice in each of two rounds. Its owner disputes both slashes in the console. The operator looks at the evidence,
 * cancels one slash, and rejects the dispute of the other, which is executed. Meanwhile the hub limits, a session ends, and a
 * wallet refuses.
 *
 * @returns The faults, one per entry.
 */
export async function findDisputeFaults(browser: Browser, origin: string): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const network = await readNetwork(hosts.api)
  const offender = await createOffender(network)
  const [cancelled, upheld] = await Promise.all([accuse(network, offender), accuse(network, offender)])
  const ofOperator: string[] = []
  const ofOwner = await openFlow(browser, origin, async (page, faults) => {
    await installWallet(page, {
      name: 'Wallet of the owner',
      rdns: 'owner.wallet',
      keys: [offender.owner.key],
    })
    await signInWith(page, `${origin}/me?part=slashes`, 'Wallet of the owner')
    await disputeFirst(page, faults, cancelled)
    await disputeNext(page, upheld)
    ofOperator.push(
      ...(await openFlow(browser, origin, async (page, faults) => {
        const wallet = {
          name: 'Wallet of the operator',
          rdns: 'operator.wallet',
          keys: [privateKeys.operator],
        }
        const mood = await installWallet(page, wallet)
        await signInWith(page, `${origin}/operate?part=slashes`, wallet.name)
        await cancelWithoutSession(page, faults, cancelled, mood)
        await upholdAboveLimit(page, upheld)
        await follow(page, '/operate?part=audit')
        await page.getByText(notes).nth(1).waitFor()
      })),
    )
    await seeCancelled(page, cancelled)
    await seeExecuted(page, upheld, network)
  })
  return [...ofOwner, ...ofOperator]
}

interface Offender {
  readonly owner: Wallet
  readonly nodeSeed: string
  readonly projectId: string
  readonly subscriptionId: string
}

/** A device of its own wallet, bonded and never connected, so that nobody misses its work and no other device loses collateral. */
async function createOffender(network: Network): Promise<Offender> {
  const owner = await signIn(network, `0x${randomBytes(32).toString('hex')}`)
  const nodeSeed = `0x${randomBytes(32).toString('hex')}`
  const public_key = ed25519PublicKey(nodeSeed)
  const { amount } = await owner.client.call('POST /v1/faucet/drip')
  await waitFor(
    'the tokens of the owner',
    () => readBalance(network, owner),
    (balance) => balance === amount,
  )
  const binding = { action: 'bind', owner: owner.address, public_key } as const
  const nonce = randomBytes(16).toString('hex')
  const body = createBindingRecord(
    network.profile,
    { ...binding, issued_at: await network.now(), nonce },
    { ownerKey: owner.key, nodeKey: nodeSeed },
  )
  await network.client.call('POST /v1/devices/bind', { body })
  const nodeId = deriveNodeId(network.profile, public_key)
  const args = [nodeId, '--project', sampleSlug, '--key-env', 'OWNER_KEY']
  const env = { HUB_URL: network.hub, OWNER_KEY: owner.key }
  const { code, stdout, stderr } = await runTool('tools/subscribe.ts', args, env)
  if (code !== 0) throw new Error(`The device could not be bonded: ${stderr}`)
  const { items } = await owner.client.call('GET /v1/me/subscriptions')
  const [subscription] = items
  if (subscription === undefined) throw new Error(`The wallet has no subscription: ${stdout}`)
  const { subscription_id: subscriptionId, project_id: projectId } = subscription
  return { owner, nodeSeed, projectId, subscriptionId }
}

/** Posts two votes of the device in a round that is final, and waits until the slash can be disputed. @returns The hash of the evidence. */
async function accuse(network: Network, { nodeSeed, owner, projectId, subscriptionId }: Offender) {
  const { profile, client } = network
  const given = await client.call('POST /v1/projects/{project_id}/tasks', {
    path: { project_id: projectId },
    body: { function: 'echo', input: JSON.stringify(randomBytes(8).toString('hex')) },
  })
  const { task_id: round_id } = given
  const round = await waitFor(
    'the end of a round',
    () => client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } }),
    ({ state }) => state === 'finalized',
  )
  const task = round.task as Task
  const evidence = equivocationOf(profile, task, { nodeSeed, subscriptionId, payout: owner.address })
  const slash = await client.call('POST /v1/slashes', { body: evidence as never })
  const { evidence_hash } = slash as { evidence_hash: string }
  await waitFor(
    'a slash that can be disputed',
    () => client.call('GET /v1/slashes/{evidence_hash}', { path: { evidence_hash } }),
    ({ status }) => status === 'proposed',
  )
  return evidence_hash
}

const cardOf = (page: Page, hash: string): Locator =>
  page.getByRole('listitem').filter({ has: page.locator(`a[href="/slashes/${hash}"]`) })

/** A text that is not a link is refused by the form, and the first try is above a limit. */
async function disputeFirst(page: Page, faults: string[], hash: string): Promise<void> {
  const card = cardOf(page, hash)
  await card.getByText('Two different votes in one round').waitFor()
  await card.getByRole('button', { name: 'Dispute it' }).click()
  const send = card.getByRole('button', { name: 'Send the dispute' })
  await card.getByLabel('Why is it wrong?').fill(reason)
  await card.getByLabel('Links to what shows it').fill('http://miner.example')
  await card.getByText('Each link starts with https://').waitFor()
  if (await send.isEnabled()) faults.push('A dispute can be sent with a link that the hub refuses.')
  await card.getByLabel('Links to what shows it').fill(`${link} ${link}`)
  for (const fault of await findScreenFaults(page)) faults.push(`a dispute: ${fault}`)
  await limitOnce(page, '**/v1/slashes/*/disputes', () => send.click())
  await send.click()
  await card.getByText('Disputed', { exact: true }).waitFor()
  await card.getByText(reason).waitFor()
}

async function disputeNext(page: Page, hash: string): Promise<void> {
  const card = cardOf(page, hash)
  await card.getByRole('button', { name: 'Dispute it' }).click()
  await card.getByLabel('Why is it wrong?').fill('It was not me.')
  await card.getByRole('button', { name: 'Send the dispute' }).click()
  await card.getByText('Disputed', { exact: true }).waitFor()
}

/** With the evidence open: its hash, both votes, and what the owner says. */
async function openDecision(page: Page, hash: string, decision: string): Promise<Locator> {
  const card = cardOf(page, hash)
  await card.getByText('The evidence has this hash').waitFor()
  for (const vote of ['First vote', 'Second vote']) await card.getByText(vote, { exact: true }).waitFor()
  await card.getByText('Show the whole evidence').click()
  await card.locator('pre').getByText('"equivocation"').waitFor()
  await card.getByRole('button', { name: decision }).click()
  const asked = page.getByRole('dialog', { name: decision })
  await asked.getByText('This cannot be undone').waitFor()
  await asked.getByLabel('Notes').fill(notes)
  return asked
}

/** The session ends while the operator writes, and the wallet refuses the next one first. */
async function cancelWithoutSession(
  page: Page,
  faults: string[],
  hash: string,
  mood: WalletMood,
): Promise<void> {
  await cardOf(page, hash).getByText(reason).waitFor()
  await cardOf(page, hash).getByRole('link', { name: link }).nth(1).waitFor()
  for (const fault of await findScreenFaults(page)) faults.push(`a dispute to decide: ${fault}`)
  const asked = await openDecision(page, hash, cancel)
  await endSession(page)
  mood.refuses = true
  await asked.getByRole('button', { name: cancel }).click()
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByRole('button', { name: 'Sign in again' }).click()
  const rejected = page.getByRole('dialog').filter({ hasText: 'You rejected it in the wallet' })
  await rejected.waitFor()
  mood.refuses = false
  await rejected.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('status').filter({ hasText: cancel }).waitFor()
  await cardOf(page, hash).waitFor({ state: 'detached' })
}

async function upholdAboveLimit(page: Page, hash: string): Promise<void> {
  const asked = await openDecision(page, hash, uphold)
  const decide = asked.getByRole('button', { name: uphold })
  await limitOnce(page, '**/admin/v1/slashes/*/resolve', () => decide.click())
  await asked.getByRole('button', { name: 'Try again' }).last().click()
  await page.getByRole('status').filter({ hasText: uphold }).waitFor()
  await cardOf(page, hash).waitFor({ state: 'detached' })
}

/** For everybody, and for the owner, who keeps the collateral. The amount is shown without the record of the project. */
async function seeCancelled(page: Page, hash: string): Promise<void> {
  await lookUntil(page, cardOf(page, hash).getByText('Cancelled', { exact: true }))
  await page.route('**/v1/projects/0x*', (route) => route.abort())
  await follow(page, `/slashes/${hash}`)
  await page.locator('dt', { hasText: 'Amount' }).locator('+ dd', { hasText: / HUB$/ }).waitFor()
  await page.unroute('**/v1/projects/0x*')
  await page.getByRole('listitem').filter({ hasText: 'Cancelled' }).waitFor()
  await page.getByText(reason).waitFor()
  await page.getByText('The evidence has this hash').waitFor()
}

/** Once the time to dispute and the grace after it are over. */
async function seeExecuted(page: Page, hash: string, { hub }: Network): Promise<void> {
  await follow(page, `/slashes/${hash}`)
  await lookUntil(page, page.getByRole('listitem').filter({ hasText: 'Dispute rejected' }))
  await passTime(hub, '2h')
  await lookUntil(page, page.getByText('Taken', { exact: true }))
  await follow(page, '/me?part=slashes')
  await cardOf(page, hash).getByText('Executed', { exact: true }).waitFor()
  await cardOf(page, hash).getByText('Add collateral').waitFor()
  await follow(page, '/me?part=collateral')
  await page.getByText('Lost to slashes').waitFor()
}
