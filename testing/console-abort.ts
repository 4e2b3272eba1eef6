import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { runErrorBytesMax, runErrorText } from '../protocol/execution/index.ts'
import { connectTo, readNetwork } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { abortingArtifact } from './aborting-module.ts'
import { findScreenFaults, findWidthFaults } from './console.ts'
import { follow, openFlow } from './console-flow.ts'
import { lookForInjections } from './console-hostile.ts'
import { registerProject } from './console-project.ts'
import { payloads } from './hostile-texts.ts'

/** Characters that reverse the direction of writing, clear a terminal, are never drawn, or end a line. */
const hidden = 'safe\u202eefas\u0007\u001b[2J\u200b\n\u2028end'

/** Far beyond what is shown, in characters that a cut could split, and without a place for a line to break. */
const longest = '\u{1f40d}'.repeat(600)

/** The messages with which the module aborts. */
const messages: readonly string[] = [payloads.slice(0, 3).join(''), payloads[29]!, hidden, longest]

/**
 * Real nodes run a module that aborts with hostile messages. The console has to show each message as text, escaped and bounded,
 * where the task was submitted and on the page of its round.
 *
 * @returns The faults, one per entry.
 */
export async function findAbortFaults(browser: Browser, origin: string): Promise<string[]> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const slug = `aborts-${randomBytes(4).toString('hex')}`
  const review = await listProject(hosts.api, slug)
  const faults = await openFlow(browser, origin, async (page, faults) => {
    await page.goto(`${origin}/rounds`)
    for (const message of messages) await seeAbort(page, slug, message, faults)
  })
  await review('delist', 'It was for a test.')
  return faults
}

/** A listed project of a developer of its own, without devices: the validators run its tasks. @returns Decides about it. */
async function listProject(hub: string, slug: string) {
  const { bytes, manifestAddress } = abortingArtifact(slug.replaceAll('-', '_'))
  const worker = { address: manifestAddress, bytes, functions: ['refuse'] }
  const key = `0x${randomBytes(32).toString('hex')}`
  const project_id = await registerProject(hub, { slug, name: 'A module that aborts', key, worker })
  const { client } = await signIn(await readNetwork(hub), privateKeys.operator)
  const review = (action: 'approve' | 'delist', reason: string | null) =>
    client.call('POST /admin/v1/projects/{project_id}/review', {
      path: { project_id },
      body: { action, reason },
    })
  await review('approve', null)
  await waitFor(
    'the project to be listed',
    () => client.call('GET /v1/projects/{project_id}', { path: { project_id } }),
    ({ listing_status }) => listing_status === 'listed',
  )
  return review
}

async function seeAbort(page: Page, slug: string, message: string, faults: string[]): Promise<void> {
  const expected = runErrorText(`aborted: ${message}`)
  if (Buffer.byteLength(expected) > runErrorBytesMax) faults.push(`${expected.length} characters are shown`)
  const look = async (where: string) => {
    const said = page.getByRole('main').locator('bdi')
    await said.waitFor()
    const text = await said.textContent()
    if (text !== expected) faults.push(`${where} says ${JSON.stringify(text)}`)
    // The elements of a screen are the same for each message: one is enough for the rules of accessibility.
    const shown = await (message === longest ? findScreenFaults : findWidthFaults)(page)
    for (const fault of shown) faults.push(`${where}, of an abort: ${fault}`)
    await lookForInjections(page, faults)
  }
  await follow(page, `/projects/${slug}/try`)
  await page.getByRole('radio', { name: 'Plain' }).check()
  await page.getByRole('textbox', { name: 'Input' }).evaluate(
    // As a program sends it: a field for text has no control characters.
    (area, value) => {
      ;(area as unknown as { value: string }).value = value
      area.dispatchEvent(new Event('input', { bubbles: true }))
    },
    message,
  )
  await page.getByRole('button', { name: 'Submit the task' }).click()
  await page.getByText('The function failed', { exact: true }).waitFor()
  await look('the page of the task')
  await page.getByRole('main').locator('a[href^="/rounds/"]').last().click()
  await page.getByRole('heading', { name: 'Result' }).waitFor()
  await look('the page of the round')
  await follow(page, '/rounds')
  await page.getByRole('row').filter({ hasText: 'Final' }).getByText('Function failed').first().waitFor()
}

/** A class of the page. */
declare class Event {
  constructor(type: string, options: { bubbles: boolean })
}
