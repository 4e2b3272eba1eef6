/** Takes the picture of the reference page for docs/use-it.md: `node scripts/nx.mjs node tools/screenshot.ts`. */

import { startHub } from '../localnet/hub.ts'
import { browserPath, openBrowser } from '../scripts/browser.ts'
import { bundleHub } from '../scripts/bundle.ts'
import '../scripts/copy-assets.ts'

const executable = browserPath()
if (executable === undefined) {
  console.error('Error: no chromium on this machine; install it or name one in CHROMIUM.')
  process.exit(1)
}
const hub = await startHub({
  script: await bundleHub(),
  port: 8787,
  vars: { HUB_SECRET: 'only for a picture, and nothing is kept', LOCAL_NETWORK: 'true' },
})
const browser = await openBrowser(executable)
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
  await page.goto('http://localhost:8787/docs')
  await page.waitForSelector('.opblock')
  // Above the calls is a table of limits, which fills the page.
  await page
    .locator('.opblock-tag-section')
    .first()
    .evaluate((section) => section.scrollIntoView())
  await page.screenshot({ path: 'docs/reference-page.png' })
  console.log('docs/reference-page.png')
} finally {
  await browser.close()
  await hub.stop()
}
