import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine, or undefined. `CHROMIUM` names another one. */
export const browserPath = (): string | undefined =>
  [process.env.CHROMIUM, ...candidates].find((file) => file !== undefined && existsSync(file))

/** Opens a browser that calls nobody by itself. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
