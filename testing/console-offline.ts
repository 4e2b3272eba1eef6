import type { Page } from 'playwright-core'
import { follow, openLaptop } from './console-flow.ts'

/** Checks that the console says when the network is lost and continues by itself, and sends no task unseen. */
export async function loseNetwork(page: Page): Promise<void> {
  const { origin } = new URL(page.url())
  const context = page.context()
  await follow(page, '/')
  await page.getByText('Live', { exact: true }).waitFor()
  await context.setOffline(true)
  await page.getByText('Not connected').waitFor()
  // A browser may have kept the file of a screen that was open before.
  const files = '**/_app/immutable/nodes/**'
  await page.route(files, (route) => route.abort())
  await page.getByRole('link', { name: 'Faucet', exact: true }).click()
  await page.getByText('You may be offline').waitFor()
  await page.unroute(files)
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Faucet', exact: true }).waitFor()
  await keepTaskUnsent(page, origin)
  await waitForLimit(page, origin)
  await loseAnswer(page, origin)
}

/** A task that was given offline is shown until somebody sends it. */
async function keepTaskUnsent(page: Page, origin: string): Promise<void> {
  const submitted: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/tasks')) submitted.push(request.url())
  })
  const unsent = page.getByRole('alert').filter({ hasText: 'Not sent yet' })
  await page.goto(`${origin}/projects/sample-echo/try`)
  await page.getByLabel('Text', { exact: true }).check()
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Submit the task' }).click()
  await unsent.waitFor()
  await page.context().setOffline(false)
  submitted.length = 0
  await page.goto(`${origin}/projects/sample-echo/try`)
  await unsent.waitFor()
  await page.waitForLoadState('networkidle')
  if (submitted.length > 0) throw new Error('A task that was given offline is sent by itself.')
  await unsent.getByRole('button', { name: 'Send now' }).click()
  // The function reads JSON: a text is sent as such.
  await page.locator('main pre').getByText('"Hello"', { exact: true }).waitFor()
  if (submitted.length !== 1) throw new Error(`The task is sent ${submitted.length} times.`)
}

/** Above a limit the page says when it sends the task, and does. */
async function waitForLimit(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/projects/sample-echo/try`)
  await page.route(
    '**/v1/projects/*/tasks',
    (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '1' },
        json: { error: 'rate_limited', message: 'Wait.', request_id: 'test' },
      }),
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Submit the task' }).click()
  await page.getByRole('heading', { name: 'Too many tasks from here' }).waitFor()
  await page.getByRole('heading', { name: 'Output' }).waitFor()
  await page.getByRole('heading', { name: 'Too many tasks from here' }).waitFor({ state: 'detached' })
}

/** The hub takes a task, and its answer never comes: the page sends the same task again, not a second one. */
export async function loseAnswer(of: Page, origin: string): Promise<void> {
  const page = await openLaptop(of.context().browser()!)
  // The time of the call whose answer is lost is a second, and not a minute.
  await page.addInitScript(`{
    const { setTimeout } = window
    window.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 60000 && window.isHasty ? 1000 : ms, ...rest)
  }`)
  const beHasty = (isHasty: boolean) => page.evaluate(`window.isHasty = ${isHasty}`)
  const keys: string[] = []
  await page.route('**/v1/projects/*/tasks', async (route) => {
    keys.push(route.request().postDataJSON().idempotency_key)
    if (keys.length > 1) return route.continue()
    await route.fetch()
  })
  await page.goto(`${origin}/projects/sample-echo/try`)
  await page.getByRole('button', { name: 'Submit the task' }).waitFor()
  await beHasty(true)
  await page.getByRole('button', { name: 'Submit the task' }).click()
  const unsent = page.getByRole('alert').filter({ hasText: 'Not sent yet' })
  await unsent.waitFor()
  await beHasty(false)
  await unsent.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('heading', { name: 'Output' }).waitFor()
  if (keys.length !== 2 || keys[0] !== keys[1]) throw new Error(`The task is sent as ${keys.join(' and ')}.`)
  await page.close()
}
