import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const firstOf = (files: readonly string[]): string | undefined =>
  [process.env.CHROMIUM, ...files].find((file) => file !== undefined && existsSync(file))

/** The browser of this machine, or undefined. `CHROMIUM` names another one. */
export const browserPath = (): string | undefined => firstOf(candidates)

/** The same for tests, where nobody looks: Chromium without windows takes a third less CPU. */
export const testBrowserPath = (): string | undefined =>
  firstOf(['/usr/bin/chromium-headless-shell', ...candidates])

/** Chromium takes only the last list of these. */
const disabledFeatures = [
  // As Playwright has them, which counts on them or calls nobody by them.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Each window would load pages for its address bar, and each navigation a process for the next one: a third of the time.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
]

/** Opens a browser that calls nobody by itself. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', `--disable-features=${disabledFeatures.join()}`],
  })
