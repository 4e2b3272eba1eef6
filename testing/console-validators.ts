import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { deriveNodeId } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { connectTo, fetchFromHub, readNetwork } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'
import { hubWithNodeKey } from '../sdk/node.ts'
import { findScreenFaults } from './console.ts'
import { limitOnce, lookUntil, openFlow, signInWith } from './console-flow.ts'
import { keepPending } from './network-database.ts'

/**
 * A validator registers, and the operator has it among the validators in the console, then takes it out again: each is a
 * generation that a quorum of the validators of the network signs. The hub limits the first try. Another one is rejected.
 *
 * @param folder - Of the data of the network, in which its nodes are made to wait, as in hubs that approve nobody by themselves.
 * @returns The faults, one per entry.
 */
export async function findValidatorFaults(
  browser: Browser,
  origin: string,
  folder: string,
): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const [nodeId, unwanted] = [await registerValidator(hosts.api), await registerValidator(hosts.api)]
  return openFlow(browser, origin, async (page, faults) => {
    await signInWith(page, `${origin}/operate?part=nodes`, 'Operator')
    await page.getByLabel('Role').selectOption('validator')
    await rowOf(page, nodeId).getByText('Does not validate: no generation has it.').waitFor()
    for (const fault of await findScreenFaults(page)) faults.push(`a validator to approve: ${fault}`)

    for (const id of [nodeId, unwanted]) keepPending(folder, id)
    await page.getByLabel('State').selectOption('pending')
    await rowOf(page, unwanted).getByText('Waits for approval', { exact: true }).waitFor()
    for (const fault of await findScreenFaults(page)) faults.push(`validators that wait: ${fault}`)
    await reject(page, unwanted)
    await approve(page, nodeId)
    await expectMember(hosts.api, nodeId, true)
    await revoke(page, nodeId)
    await expectMember(hosts.api, nodeId, false)
    await page.getByText(/waits for signatures/).waitFor({ state: 'detached', timeout: 120_000 })
    await expectMember(hosts.api, unwanted, false)
  })
}

/** Registers a validator that never serves, so that every signature is from the validators that the network has. */
async function registerValidator(hub: string): Promise<string> {
  const { profile } = await readNetwork(hub)
  const key = `0x${randomBytes(32).toString('hex')}`
  await hubWithNodeKey({ url: hub, key, fetch: fetchFromHub }).call('POST /v1/nodes/register', {
    body: {
      ...{ hub, network: profile.network, url: 'http://127.0.0.1:9', role: 'validator' },
      ...{ engine: 'native', nodectl_version: '1.0.0' },
    },
  })
  return deriveNodeId(profile, ed25519PublicKey(key))
}

const rowOf = (page: Page, nodeId: string) =>
  page.getByRole('listitem').filter({ has: page.getByTitle(nodeId) })

async function approve(page: Page, nodeId: string): Promise<void> {
  const node = rowOf(page, nodeId)
  await node.getByRole('button', { name: 'Approve' }).click()
  const asked = page.getByRole('dialog', { name: /^Approve / })
  await asked.getByText('The hub makes the next generation of validators with this node.').waitFor()
  const confirm = asked.getByRole('button', { name: 'Approve' })
  await limitOnce(page, '**/admin/v1/nodes/*/approve', () => confirm.click())
  await asked.getByRole('button', { name: 'Try again' }).last().click()
  await page.getByRole('status').filter({ hasText: 'Approve' }).waitFor()
  await page.getByLabel('State').selectOption('')
  await lookUntil(page, node.getByText(/^Validates: it is in generation \d+/))
  if (await node.getByRole('button', { name: 'Approve' }).isVisible())
    throw new Error('A validator of a generation can be approved again.')
}

/** It is gone from those that wait, and among the revoked ones. */
async function reject(page: Page, nodeId: string): Promise<void> {
  const node = rowOf(page, nodeId)
  await node.getByRole('button', { name: 'Reject' }).click()
  const asked = page.getByRole('dialog', { name: /^Reject / })
  await asked.getByText('It never worked for this network.').waitFor()
  await asked.getByLabel('Reason').fill('Nobody knows whose it is.')
  await asked.getByRole('button', { name: 'Reject' }).click()
  await node.waitFor({ state: 'detached' })
  await page.getByLabel('State').selectOption('revoked')
  await node.getByText('Revoked', { exact: true }).waitFor()
  await page.getByLabel('State').selectOption('pending')
}

async function revoke(page: Page, nodeId: string): Promise<void> {
  const node = rowOf(page, nodeId)
  await node.getByRole('button', { name: 'Revoke' }).click()
  const asked = page.getByRole('dialog', { name: /^Revoke / })
  await asked.getByLabel('Reason').fill('It was for a test.')
  await asked.getByRole('button', { name: 'Revoke' }).click()
  await node.getByText('Revoked', { exact: true }).waitFor()
}

/** Waits until a node is or is not in the newest generation, as everybody reads it: its validators sign it first. */
async function expectMember(hub: string, nodeId: string, isMember: boolean): Promise<void> {
  await waitFor(
    `the generation that says ${isMember} about ${nodeId}`,
    () => connectTo(hub).client.call('GET /v1/validators/generations', { query: { limit: 1 } }),
    ({ items: [newest] }) => newest?.validators.some(({ node_id }) => node_id === nodeId) === isMember,
    120_000,
  )
}
