import { randomBytes } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { privateKeys } from '../localnet/private-keys.ts'
import { echoArtifact } from '../protocol/hbc/testing/artifacts.ts'
import { connectTo, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { findScreenFaults } from './console.ts'
import {
  addAccount,
  follow,
  limitOnce,
  lookUntil,
  openFlow,
  signInWith,
  tokenOf,
  useAccount,
} from './console-flow.ts'
import { runTool } from './run-tool.ts'

/**
 * Becomes a developer, creates an API key and a webhook, and writes a draft that somebody else changes meanwhile.
 *
 * @returns The faults, one per entry.
 */
export async function findBuildFaults(browser: Browser, origin: string): Promise<string[]> {
  return openFlow(browser, origin, async (page, faults) => {
    page.on('dialog', (dialog) => void (staying.has(page) ? dialog.dismiss() : dialog.accept()))
    const look: Look = async (what) => {
      for (const fault of await findScreenFaults(page)) faults.push(`${what}: ${fault}`)
    }
    await enroll(page, origin)
    await createKey(page, origin)
    await look('a key')
    await createWebhook(page)
    await look('a webhook')
    await writeDraft(page, look)
    await openOwnProject(page)
    await look('a project')
    await registerProject(page)
    await look('a project in review')
    await publishVersion(page, origin)
  })
}

type Look = (what: string) => Promise<void>

/** Enrolls an account of the local network that is not a developer yet. The hub answers the first try with a limit. */
async function enroll(page: Page, origin: string): Promise<void> {
  await signInWith(page, `${origin}/build`, 'Miner')
  await page.getByLabel('Name that people see').fill('Console builder')
  await page.getByText('The terms', { exact: true }).click()
  await page.getByText('its tokens are worth nothing').waitFor()
  await page.getByLabel('I accept the terms').check()
  const apply = page.getByRole('button', { name: 'Apply as a developer' })
  await limitOnce(page, '**/v1/developers/me/enrollment', () => apply.click())
  const website = page.getByLabel('Website')
  await website.fill('http://console.example')
  await apply.click()
  await page.locator('#problem-website').getByText('https').waitFor()
  if ((await website.getAttribute('aria-invalid')) !== 'true') throw new Error('The field is not marked.')
  await website.fill('https://console.example')
  await apply.click()
  await page.getByRole('main').getByText('Active', { exact: true }).waitFor()
}

/** A program creates a key that ends after the last time that a date can be. */
async function createEndlessKey(page: Page, origin: string): Promise<void> {
  const { ok } = await fetch(`${origin}/v1/developers/api-keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenOf(page)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      name: 'For ever',
      scopes: ['projects:read'],
      expires_at: Number.MAX_SAFE_INTEGER,
    }),
  })
  if (!ok) throw new Error('The key of the program is refused.')
}

/** Its secret is shown once, beside that of another key, until it is stored; it is gone from the page then. */
async function createKey(page: Page, origin: string): Promise<void> {
  await createEndlessKey(page, origin)
  await follow(page, '/build?part=keys')
  await page.getByRole('listitem').filter({ hasText: 'For ever' }).waitFor()
  const secrets = page.getByRole('status').locator('pre')
  for (const [index, name] of ['From the console', 'The next one'].entries()) {
    await page.getByLabel('Name of the key').fill(name)
    await page.getByRole('button', { name: 'Create the key' }).click()
    await secrets.nth(index).waitFor()
  }
  await stay(page, () => page.getByRole('link', { name: 'Webhooks', exact: true }).click())
  await stay(page, () => signOut(page))
  const [before = '', after = ''] = await secrets.allInnerTexts()
  for (const _ of [before, after])
    await page.getByRole('button', { name: 'I have stored it' }).first().click()
  await page.getByRole('listitem').filter({ hasText: 'From the console' }).waitFor()
  const content = await page.content()
  if (before.length < 20 || content.includes(before) || content.includes(after))
    throw new Error('The secret of the key is short, or stays in the page.')
  await replaceKey(page, origin, before, after)
}

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

/** Pages whose person does not want to lose anything. */
const staying = new WeakSet<Page>()

/** Does something by which the page would lose something: it asks. */
async function stay(page: Page, act: () => Promise<void>): Promise<void> {
  staying.add(page)
  await Promise.all([page.waitForEvent('dialog'), act()])
  staying.delete(page)
}

/** A key that another one replaces works no more. */
async function replaceKey(page: Page, origin: string, before: string, after: string): Promise<void> {
  const old = page.getByRole('listitem').filter({ hasText: 'From the console' }).first()
  await old.getByRole('button', { name: 'Revoke' }).click()
  await old.getByRole('button', { name: /Revoke/ }).click()
  await old.waitFor({ state: 'detached' })
  const statusOf = async (key: string) =>
    (await fetch(`${origin}/v1/whoami`, { headers: { Authorization: `Bearer ${key}` } })).status
  const statuses = [await statusOf(before), await statusOf(after)].join()
  if (statuses !== '401,200') throw new Error(`The old key and the new one are answered ${statuses}.`)
}

/** The list has it, and its test waits in the log: nobody listens at its address. */
async function createWebhook(page: Page): Promise<void> {
  await follow(page, '/build?part=webhooks')
  await page.getByLabel('Address of your server').fill('http://localhost:9/console')
  await page.getByRole('button', { name: 'Create the webhook' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  const webhook = page.getByRole('listitem').filter({ hasText: 'localhost:9/console' }).first()
  await webhook.getByRole('button', { name: 'Change' }).click()
  await webhook.getByLabel('Address of your server').fill('http://localhost:9/console/changed')
  await webhook.getByRole('button', { name: 'Save' }).click()
  await webhook.getByText('localhost:9/console/changed', { exact: false }).first().waitFor()
  await webhook.getByRole('button', { name: 'Send a test' }).click()
  await webhook.getByText('webhook.test').waitFor()
  await webhook.getByRole('button', { name: 'New secret' }).click()
  await webhook.getByRole('button', { name: /New secret/ }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  const { items } = (await readOwn(page, '/v1/me/webhooks')) as { items: { secrets: object[] }[] }
  if (items[0]?.secrets.length !== 2) throw new Error('The webhook does not sign with both secrets.')
}

/** Reads a record of the wallet that signed in last from the hub. */
const readOwn = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { token } = JSON.parse(sessionStorage.getItem('sessions')).kept.at(-1)
    const answer = await fetch('${path}', { headers: { Authorization: 'Bearer ' + token } })
    return answer.json()
  })()`)

/** A member is wrong, then right; another tab saves first, and nothing that was typed is lost. */
async function writeDraft(page: Page, look: Look): Promise<void> {
  await follow(page, '/build?part=drafts')
  await page.getByRole('button', { name: 'New draft' }).click()
  const editor = page.getByLabel('Text of the manifest')
  await page.getByRole('button', { name: 'Fill in network, developer and vault' }).click()
  const problems = page.getByRole('region', { name: 'What is wrong' })
  await problems.getByText('2 things to correct').waitFor()
  await problems.getByRole('button', { name: 'listing.icon' }).waitFor()
  const picture = { name: 'icon.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') }
  await page.getByLabel('Choose an icon').setInputFiles(picture)
  await problems.getByText('1 thing to correct').waitFor()
  await keepBrokenText(page, editor)
  await loseAnswer(page, editor)
  await editor.fill((await editor.inputValue()).replace('"size": 3', '"size": 0'))
  await problems.getByRole('button', { name: 'consensus.work.committee.size' }).waitFor()
  await editor.fill((await editor.inputValue()).replace('"size": 0', '"size": 3'))
  await problems.getByText('1 thing to correct').waitFor()
  const typed = await editor.inputValue()
  await stay(page, () => page.getByRole('link', { name: 'All drafts' }).click())
  await stay(page, () => signOut(page))
  await stay(page, () => addAccount(page, 'Operator'))
  await stay(page, () => useAccount(page, 'Operator'))
  if ((await editor.inputValue()) !== typed) throw new Error('The typed text is lost.')
  await look('a draft')
  await useModule(page)

  const other = await page.evaluate(
    `(async () => {
      const { current, kept } = JSON.parse(sessionStorage.getItem('sessions'))
      const { token } = kept.find(({ address }) => address === current)
      const id = new URLSearchParams(location.search).get('draft')
      const answer = await fetch('/v1/developers/me/drafts/' + id, {
        method: 'PUT',
        headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ data: { slug: 'from-another-tab' } }),
      })
      return answer.status
    })()`,
  )
  if (other !== 200) throw new Error(`The other tab was answered ${other}.`)
  const save = page.getByRole('button', { name: 'Save the draft' })
  await save.click()
  const newer = page.getByRole('alert').filter({ hasText: 'from-another-tab' })
  await newer.waitFor()
  await look('a newer draft')
  if (!(await editor.inputValue()).includes('"my-project"')) throw new Error('The typed text is lost.')
  await newer.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('It keeps every rule, and the hub takes it.').waitFor()
  if (!(await editor.inputValue()).includes('"my-project"')) throw new Error('The draft was not saved.')
}

/** A still image of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

/** A text that is not JSON is saved, and is shown after a reload as it was typed. */
async function keepBrokenText(page: Page, editor: Locator): Promise<void> {
  const sound = await editor.inputValue()
  const broken = `${sound.slice(0, 200)} {{ unfinished`
  const save = page.getByRole('button', { name: 'Save the draft' })
  await editor.fill(broken)
  await save.click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.reload()
  await editor.waitFor()
  if ((await editor.inputValue()) !== broken) throw new Error('The text that is no JSON was not kept.')
  await editor.fill(sound)
  await save.click()
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** A save is stored, and its answer is lost: the next save is made over it, as the person changed the draft alone. */
async function loseAnswer(page: Page, editor: Locator): Promise<void> {
  const save = page.getByRole('button', { name: 'Save the draft' })
  const puts = '**/v1/developers/me/drafts/*'
  await page.route(puts, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await editor.fill((await editor.inputValue()).replace('"size": 3', '"size": 4'))
  await save.click()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute(puts)
  await editor.fill((await editor.inputValue()).replace('"size": 4', '"size": 3'))
  await save.click()
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** The hub opens a file, and the manifest names its module. A module that the hub already has is opened as well. */
async function useModule(page: Page): Promise<void> {
  const { bytes, manifestAddress } = echoArtifact(`console_${randomBytes(4).toString('hex')}`)
  const file = { name: 'echo.hbc', mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) }
  await page.getByLabel('File').setInputFiles({ ...file, buffer: Buffer.from('no module') })
  await page.getByText('The file does not end with').waitFor()
  await page.getByLabel('File').setInputFiles(file)
  await page.getByText('committees can run it').waitFor()
  await page.getByLabel('File').setInputFiles(file)
  await page.getByText('The hub has this module already').waitFor()
  await page.getByRole('button', { name: 'Use it in this manifest' }).click()
  const text = await page.getByLabel('Text of the manifest').inputValue()
  const { modules, work } = JSON.parse(text).consensus
  if (modules.worker !== manifestAddress || work.functions.join() !== 'echo')
    throw new Error(`The manifest names ${modules.worker} with ${work.functions}.`)
  await page.getByText('It keeps every rule, and the hub takes it.').waitFor()
  // Echo refuses an input that is not JSON: a text keeps its quotation marks.
  await page.getByLabel('Input (JSON)').fill('"Ada"')
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.getByText(/^\d[\d,]* gas of 100,000,000/).waitFor()
  await page.getByText('It works').waitFor()
  // It was saved for that; what follows is about a draft that is not.
  await page
    .getByLabel('Text of the manifest')
    .fill(`${await page.getByLabel('Text of the manifest').inputValue()} `)
}

/** The sample developer sees its project, and announces something. */
async function openOwnProject(page: Page): Promise<void> {
  await addAccount(page, 'Developer')
  await follow(page, '/build')
  await page.getByRole('link', { name: 'Sample echo' }).click()
  await page.getByRole('heading', { name: 'Vault and funding' }).waitFor()
  await page.getByLabel('Title').fill('From the console')
  await page.getByLabel('Text', { exact: true }).fill('Written in a browser.')
  await page.getByRole('button', { name: 'Publish the announcement' }).click()
  const announced = page.getByRole('listitem').filter({ hasText: 'Written in a browser.' })
  await announced.first().waitFor()
  const before = await announced.count()
  await announced.first().getByRole('button', { name: 'Delete' }).click()
  await announced
    .first()
    .getByRole('button', { name: /Delete/ })
    .click()
  await announced.nth(before - 1).waitFor({ state: 'detached' })
}

/** The next version of a project becomes the first one of another, which the developer signs twice: the manifest, then the action. */
async function registerProject(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Draft the next version' }).click()
  const editor = page.getByLabel('Text of the manifest')
  await editor.waitFor()
  const manifest = JSON.parse(await editor.inputValue()) as { listing: object }
  const listing = { ...manifest.listing, name: 'Made in the console' }
  const first = { ...manifest, slug: 'made-in-the-console', version: 1, previous: null, listing }
  await editor.fill(JSON.stringify(first))
  await page
    .getByRole('region', { name: 'What is wrong' })
    .getByRole('button', { name: 'consensus.economics.vault' })
    .waitFor()
  await page.getByRole('button', { name: 'Fill in network, developer and vault' }).click()
  await page.getByText('It keeps every rule, and the hub takes it.').waitFor()
  await page.getByRole('button', { name: 'Sign and register' }).click()
  const signing = page.getByRole('dialog', { name: 'Register Made in the console' })
  const ofManifest = signing.getByText('It moves no tokens.')
  await ofManifest.waitFor()
  await countAsked(signing, 4)
  await signing.getByRole('button', { name: 'Sign' }).click()
  await ofManifest.waitFor({ state: 'detached' })
  await countAsked(signing, 5)
  await signing.getByRole('button', { name: 'Sign' }).click()
  await signing.getByText('Done', { exact: true }).waitFor()
  await signing.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Registered: the project is in review.').waitFor()
  await page.getByRole('link', { name: 'Go to the project' }).click()
  await page.getByRole('heading', { name: 'Made in the console' }).waitFor()
  await page.getByText('In review').waitFor()
  await page.getByText('Wait for the decision.').waitFor()
  await page.getByText('Its public page appears once it is listed.').waitFor()
}

/** The dialog marks each field that the page asked for. */
async function countAsked(signing: Locator, fields: number): Promise<void> {
  const asked = signing.getByText('as you asked')
  await asked.first().waitFor()
  const marked = await asked.count()
  if (marked !== fields) throw new Error(`${marked} of ${fields} fields are marked as asked for.`)
}

/** An account of the local network reads a command, which does what the page says. */
async function fund(page: Page, hub: string): Promise<void> {
  await page.getByLabel(/^Add to the vault/).fill('5')
  const command = await page.getByText(/^npm run -s fund -- 0x/).innerText()
  const [, project = '', amount = '', account = ''] =
    /^npm run -s fund -- (\S+) "(.+)" --as (\S+) --hub \S+$/.exec(command) ?? []
  const { code, stderr } = await runTool('tools/fund.ts', [project, amount, '--as', account], {
    HUB_URL: hub,
  })
  if (code !== 0) throw new Error(`${command}: ${stderr}`)
  const balance = page.getByRole('definition').filter({ hasText: /^5 HUB$/ })
  await lookUntil(page, balance.first())
}

/** Once an operator has listed the project, its developer publishes a version of another listing; then it is removed again. */
async function publishVersion(page: Page, origin: string): Promise<void> {
  const { hosts } = await connectTo(origin).client.call('GET /')
  const { client } = await signIn(await readNetwork(hosts.api), privateKeys.operator)
  const [, project_id = ''] = /projects\/(0x[0-9a-f]{64})/.exec(page.url()) ?? []
  const review = (action: 'approve' | 'delist', reason: string | null, conditions: string[] = []) =>
    client.call('POST /admin/v1/projects/{project_id}/review', {
      path: { project_id },
      body: { action, reason, conditions },
    })
  await review('approve', null, ['Answer reports.', 'Answer reports.'])
  await lookUntil(page, page.getByText('Listed', { exact: true }).first())
  await fund(page, hosts.api)
  await page.getByRole('button', { name: 'Draft the next version' }).click()
  const editor = page.getByLabel('Text of the manifest')
  await editor.waitFor()
  await page.getByText('There is nothing to publish').waitFor()
  const sign = page.getByRole('button', { name: 'Sign and publish the version' })
  if (await sign.isEnabled()) throw new Error('A version in which nothing differs can be published.')
  const manifest = JSON.parse(await editor.inputValue()) as { listing: object }
  const next = { ...manifest, listing: { ...manifest.listing, tagline: 'Once more' } }
  // Its rows have the same path.
  await editor.fill(JSON.stringify({ ...next, 'listing.tagline': 'Twice' }))
  await page.getByRole('insertion').getByText('Twice').waitFor()
  await editor.fill(JSON.stringify(next))
  await page.getByText('It keeps every rule, and the hub takes it.').waitFor()
  await page.getByRole('heading', { name: 'What differs from version 1' }).waitFor()
  await page.getByRole('insertion').getByText('Once more').waitFor()
  await page.getByText('so it takes effect at once').waitFor()
  await sign.click()
  const signing = page.getByRole('dialog', { name: /^Publish version 2/ })
  await countAsked(signing, 4)
  await signing.getByRole('button', { name: 'Sign' }).click()
  // It is of another listing only, which nothing on the chain says.
  await signing.getByRole('status').getByText('Done', { exact: true }).waitFor()
  await signing.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('Version 2 is published.').waitFor()
  await page.getByRole('link', { name: 'Go to the project' }).waitFor()
  const { items } = await client.call('GET /v1/projects/{project_id}/versions', { path: { project_id } })
  if (items[0]?.version !== 2) throw new Error(`The newest version is ${items[0]?.version}.`)
  await page.getByRole('link', { name: 'All drafts' }).click()
  await page.getByText('Version 2 is published').waitFor()
  await review('delist', 'It was for a test.')
}
