import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { sampleSlug } from '../localnet/sample/manifest.ts'
import { createBindingRecord, deriveNodeId } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { operatorScreens } from '../scripts/console-screens.ts'
import { connectTo, fetchFromHub, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { hubWithNodeKey } from '../sdk/node.ts'
import { findScreenFaults } from './console.ts'
import { addAccount, endSession, follow, openFlow } from './console-flow.ts'
import { findRecordInjections, hostileListing } from './console-hostile.ts'
import { registerProject } from './console-project.ts'
import { payloads } from './hostile-texts.ts'
import { keepLetter } from './network-database.ts'

/** A new slug for each run, so that a network can be tested twice. */
const slug = `reviewed-${randomBytes(4).toString('hex')}`
const projectName = `${slug} <img src=x onerror=ranHostile=1>`

/**
 * The operator of a local network approves a project and removes it again, bans a device and readmits it, revokes a
 * node, and sends or closes failed messages, also while the hub is away and when the session ends. A wallet that is not
 * an operator is told so. The project has texts that run code in a page that takes them for markup.
 *
 * @param folder of the data of the network.
 * @returns The faults, one per entry.
 */
export async function findOperatorFaults(
  browser: Browser,
  origin: string,
  folder: string,
): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const picture = `${hosts.api}/v1/assets/${randomBytes(32).toString('hex')}`
  const listing = { ...hostileListing, screenshots: [...hostileListing.screenshots, picture, picture] }
  const projectId = await registerProject(hosts.api, { slug, name: projectName, listing })
  const device = await bindDevice(hosts.api)
  return openFlow(browser, origin, async (page, faults) => {
    await signInAsOperator(page, origin)
    for (const screen of operatorScreens) {
      await follow(page, screen)
      for (const fault of await findScreenFaults(page)) faults.push(`${screen}: ${fault}`)
    }
    await approveProject(page, faults)
    await writeHostileRecords(hosts.api, projectId)
    const ofPage = { [`/projects/${projectId}`]: projectName, '/projects': projectName }
    const found = { [`/search?q=${slug}`]: projectName, [`/projects/${sampleSlug}`]: payloads[2]! }
    faults.push(...(await findRecordInjections(browser, origin, { ...ofPage, ...found })))
    await banDevice(page, device)
    await revokeNode(page, hosts.api)
    await seeToLetters(page, hosts.api, folder)
    await keepCollection(page, projectId)
    await removeProject(page, projectId)
  })
}

const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole('dialog', name === undefined ? {} : { name })
const done = (page: Page, title: string | RegExp) =>
  page.getByRole('status').filter({ hasText: title }).waitFor()

/** Writes the records of other people about a project, with hostile texts. */
async function writeHostileRecords(hub: string, projectId: string): Promise<void> {
  const network = await readNetwork(hub)
  const developer = await signIn(network, privateKeys.developer)
  const miner = await signIn(network, privateKeys.miner)
  const path = { project_id: projectId }
  await developer.client.call('POST /v1/developers/projects/{project_id}/announcements', {
    path,
    body: { type: 'update', title: payloads[3]!, content: payloads.join('\n') },
  })
  await miner.client.call('POST /v1/projects/{project_id}/reports', {
    path,
    body: { category: 'malware', severity: 'high', reason: payloads.join('\n') },
  })
  const { project_id } = await miner.client.call('GET /v1/projects/{project_id}/manifest', {
    path: { project_id: sampleSlug },
  })
  await miner.client.call('PUT /v1/projects/{project_id}/reviews', {
    path: { project_id },
    body: { rating: 1, comment: payloads[2]! },
  })
}

/** Binds a device that never connects, so that nobody misses its work. */
async function bindDevice(hub: string): Promise<string> {
  const network = await readNetwork(hub)
  const miner = await signIn(network, privateKeys.miner)
  const nodeSeed = `0x${randomBytes(32).toString('hex')}`
  const public_key = ed25519PublicKey(nodeSeed)
  const body = createBindingRecord(
    network.profile,
    {
      action: 'bind',
      owner: miner.address,
      public_key,
      issued_at: await network.now(),
      nonce: randomBytes(16).toString('hex'),
    },
    { ownerKey: miner.key, nodeKey: nodeSeed },
  )
  await network.client.call('POST /v1/devices/bind', { body })
  return deriveNodeId(network.profile, public_key)
}

async function signInAsOperator(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/operate`)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await dialog(page).getByRole('button', { name: 'Miner' }).click()
  await page.getByText('This wallet is not an operator of this hub').waitFor()
  for (const fault of await findScreenFaults(page)) throw new Error(fault)
  const how = await page.getByRole('link', { name: 'How a hub is operated' }).getAttribute('href')
  const { status } = await fetch(new URL(String(how), origin), { headers: { Accept: 'text/html' } })
  if (status !== 200) throw new Error(`${how} answers ${status}.`)
  await addAccount(page, 'Operator')
  await page.getByRole('heading', { name: 'Projects that wait for a review' }).waitFor()
  // Only operators have the way here in their menu.
  await follow(page, '/')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('link', { name: 'Operate' }).click()
  await page.getByRole('heading', { name: 'Projects that wait for a review' }).waitFor()
}

/** The hub is away when the operator approves first. */
async function approveProject(page: Page, faults: string[]): Promise<void> {
  await follow(page, '/operate')
  const card = page.getByRole('listitem').filter({ hasText: projectName })
  await card.getByText('What the developer signed').click()
  await card.getByText('The first version: all of it').waitFor()
  await card.getByText('Least collateral of a device').waitFor()
  for (const fault of await findScreenFaults(page)) faults.push(`a project to review: ${fault}`)
  await card.getByRole('button', { name: 'Approve' }).click()
  const asked = dialog(page, `Approve “${projectName}”`)
  await asked.getByText('You can pause or remove it afterwards').waitFor()
  await page.route('**/admin/v1/projects/*/review', (route) => route.abort())
  await asked.getByRole('button', { name: 'Approve' }).click()
  await asked.getByText('This did not work').waitFor()
  for (const fault of await findScreenFaults(page)) faults.push(`a decision that failed: ${fault}`)
  await page.unroute('**/admin/v1/projects/*/review')
  await asked.getByRole('button', { name: 'Try again' }).last().click()
  await done(page, `“${projectName}” is approved.`)
  await seeFocus(page)
  await card.waitFor({ state: 'detached' })
}

/** The decided record has left its list: the focus is on the message about the decision. */
async function seeFocus(page: Page): Promise<void> {
  const focused = await page.evaluate("document.activeElement?.getAttribute('role')")
  if (focused !== 'status') throw new Error(`The focus is on ${focused}.`)
}

/** The session ends while the reason is typed, which is still there afterwards. */
async function banDevice(page: Page, device: string): Promise<void> {
  await follow(page, '/')
  await follow(page, '/operate?part=bans')
  const part = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Device' }) })
  const lookUp = async () => {
    await part.getByLabel('Id of a device').fill(device)
    await part.getByRole('button', { name: 'Look it up' }).click()
  }
  await lookUp()
  await part.getByRole('button', { name: 'Ban' }).click()
  await leaveQuestion(page)
  await lookUp()
  await part.getByRole('button', { name: 'Ban' }).click()
  const asked = dialog(page, /^Ban /)
  const ban = asked.getByRole('button', { name: 'Ban' })
  if (!(await ban.isDisabled())) throw new Error('A device can be banned without a reason.')
  await asked.getByLabel('Reason').fill('It sends votes that nobody asked for.')
  await endSession(page)
  await ban.click()
  const again = dialog(page, 'Your session has ended')
  await again.getByRole('button', { name: 'Sign in again' }).click()
  await done(page, /Ban /)
  await part.getByText('Banned', { exact: true }).waitFor()
  await part.getByRole('button', { name: 'Readmit' }).click()
  await dialog(page, /^Readmit /)
    .getByRole('button', { name: 'Readmit' })
    .click()
  await part.getByRole('button', { name: 'Ban', exact: true }).waitFor()
  await follow(page, '/operate?part=audit')
  await page.getByText('It sends votes that nobody asked for.').first().waitFor()
}

/** A question that was left open with the button of the browser does not come back with its screen. */
async function leaveQuestion(page: Page): Promise<void> {
  await dialog(page, /^Ban /).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Latest rounds' }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { name: 'Device', exact: true }).waitFor()
  if (await dialog(page).isVisible()) throw new Error('The question of a screen that was left is open again.')
}

/** The hub refuses the id of no project, and names the field. */
async function keepCollection(page: Page, projectId: string): Promise<void> {
  await follow(page, '/operate?part=collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByLabel('Id', { exact: true }).fill('first-ones')
  await page.getByLabel('Title').fill('First ones')
  await page.getByLabel('Ids of projects').fill('0x12')
  const save = async () => {
    await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
  }
  await save()
  await dialog(page).getByText('project_ids').first().waitFor()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Ids of projects').fill(projectId)
  await save()
  await page.getByText('1 project,').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Delete' }).click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No collection').waitFor()
}

/** A node that has no work is revoked, which needs a reason. */
async function revokeNode(page: Page, hub: string): Promise<void> {
  const { profile } = await readNetwork(hub)
  const key = `0x${randomBytes(32).toString('hex')}`
  const id = deriveNodeId(profile, ed25519PublicKey(key))
  await hubWithNodeKey({ url: hub, key, fetch: fetchFromHub }).call('POST /v1/nodes/register', {
    body: {
      ...{ hub, network: profile.network, url: null, role: 'miner' },
      ...{ engine: 'native', nodectl_version: '1.0.0' },
    },
  })
  await follow(page, '/operate?part=nodes')
  await page.getByLabel('Role').selectOption('miner')
  const node = page.getByRole('listitem').filter({ has: page.getByTitle(id) })
  await node.getByRole('button', { name: 'Revoke' }).click()
  const asked = dialog(page, /^Revoke /)
  await asked.getByLabel('Reason').fill('It was for a test.')
  await asked.getByRole('button', { name: 'Revoke' }).click()
  await node.getByText('Revoked', { exact: true }).waitFor()
  const { items } = await (await operatorOf(hub)).call('GET /admin/v1/nodes', { query: { limit: 100 } })
  const state = items.find(({ node_id }) => node_id === id)?.status
  if (state !== 'revoked') throw new Error(`The hub has the node as ${state}.`)
}

const operatorOf = async (hub: string) => (await signIn(await readNetwork(hub), privateKeys.operator)).client

/** Sends one failed message again, and closes another, with a reason. */
async function seeToLetters(page: Page, hub: string, folder: string): Promise<void> {
  const ids = ['Send again', 'Delete'].map((action) => [action, randomBytes(16).toString('hex')] as const)
  for (const [, id] of ids) keepLetter(folder, id)
  await follow(page, '/operate?part=machine')
  for (const [action, id] of ids) {
    const letter = page.getByRole('listitem').filter({ has: page.getByTitle(id) })
    await letter.getByText('Its contents').click()
    await letter.getByRole('button', { name: action }).click()
    const asked = dialog(page, new RegExp(`^${action}`))
    await asked.getByLabel('Reason').fill('It was for a test.')
    await asked.getByRole('button', { name: action }).click()
    await letter.waitFor({ state: 'detached' })
  }
  const operator = await operatorOf(hub)
  const { items } = await operator.call('GET /admin/v1/dead-letters', { query: { limit: 100 } })
  if (items.some(({ message_id }) => ids.some(([, id]) => id === message_id)))
    throw new Error('The hub still has a message that was seen to.')
}

/** From a report about it, so that the network has the projects that it had before. */
async function removeProject(page: Page, projectId: string): Promise<void> {
  await follow(page, '/operate?part=reports')
  const report = page.getByRole('listitem').filter({ has: page.getByTitle(projectId) })
  await report.getByText(payloads[0]!).waitFor()
  await report.getByRole('link', { name: 'Decide about the project' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  const asked = dialog(page, /^Remove /)
  await asked.getByLabel('Reason').fill('It was for a test.')
  await asked.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Nothing can be decided about a project in this state').waitFor()
}
