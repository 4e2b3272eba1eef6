/**
 * Takes the pictures of the screens of the console, from a local network with rounds: `node scripts/nx.mjs node
 * tools/console-pictures.ts`, and after it the names of some if not all are wanted.
 */
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { browserPath, openBrowser } from '../scripts/browser.ts'
import { consoleScreens, isSettled, operatorScreens, ownScreens } from '../scripts/console-screens.ts'

const hub = process.env.HUB_URL ?? 'http://localhost:8787'
const folder = 'docs/pictures'
const wide = { width: 1280, height: 860 }
const modes = {
  light: { viewport: wide, colorScheme: 'light' },
  dark: { viewport: wide, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
} as const

type Sharp = (bytes: Buffer) => { png(options: object): { toFile(name: string): Promise<{ size: number }> } }
// Miniflare brings it; a palette makes a third of the bytes of what the browser writes.
const sharp = createRequire(import.meta.url)('sharp') as Sharp

const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

async function take(page: Page, name: string): Promise<void> {
  // Lists below the first answer fill in a moment later, and the stream of events opens.
  await page.waitForTimeout(1_500)
  const file = `${folder}/${name}.png`
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, colours: 64 })
    .toFile(file)
  console.log(file, size)
}

/** As an account of the local network, in a tab of its own. */
async function signIn(page: Page, who: string): Promise<void> {
  await page.goto(`${hub}/me`)
  await page.evaluate('sessionStorage.clear()')
  await page.reload()
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog').getByRole('button', { name: who }).click()
  await page.getByRole('button', { name: /^Account/ }).waitFor()
}

const executable = browserPath()
if (executable === undefined) {
  console.error('Error: no chromium on this machine; install it or name one in CHROMIUM.')
  process.exit(1)
}
mkdirSync(folder, { recursive: true })
const browser = await openBrowser(executable)
try {
  const { build: _, 'build-project': buildProject, ...open } = await consoleScreens(hub)
  const screens = Object.entries(open).filter(([name]) => isWanted(name))
  const of = (part: RegExp) =>
    Object.fromEntries(Object.entries(ownScreens).filter(([name]) => part.test(name)))
  const signedIn = {
    Miner: of(/^me/),
    Developer: { ...of(/^build/), 'build-project': buildProject },
    Operator: Object.fromEntries(
      operatorScreens.map((path) => [path.replace('/operate?part=', 'operate-').replace('/', ''), path]),
    ),
  }
  for (const [mode, options] of Object.entries(modes)) {
    const page = await browser.newPage({ ...options, reducedMotion: 'reduce' })
    for (const [name, path] of screens) {
      await page.goto(hub + path)
      await page.waitForFunction(isSettled)
      if (name === 'try') {
        await page.getByRole('button', { name: 'Submit the task' }).click()
        await page.getByRole('button', { name: 'Verify in this browser' }).click()
        await page.getByText('Everything holds').waitFor()
        await page.evaluate('scrollTo(0, 0)')
      }
      await take(page, `${name}-${mode}`)
    }
    for (const [who, seen] of Object.entries(signedIn)) {
      const own = Object.entries(seen).filter(([name]) => isWanted(name))
      if (own.length === 0) continue
      await signIn(page, who)
      for (const [name, path] of own) {
        await page.goto(hub + path)
        await page.waitForFunction(isSettled)
        await take(page, `${name}-${mode}`)
      }
    }
    if (isWanted('signing')) {
      await signIn(page, 'Miner')
      await page.goto(`${hub}/me?part=collateral`)
      await page.getByRole('button', { name: 'Unbond' }).first().click()
      await page.getByText('as you asked').first().waitFor()
      await take(page, `signing-${mode}`)
    }
    await page.close()
  }
} finally {
  await browser.close()
}
