import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A rule of accessibility that a page breaks, and where. */
export interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly html: string }[]
}

/** @param rules to look at; left out, all of them. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<Violation[]> {
  const options = {
    // Elements that pass are not listed, because that takes longer than some rules.
    resultTypes: ['violations'],
    // No text is taken for an icon. To find out, axe draws texts, which takes a tenth of the time.
    checks: { 'label-content-name-mismatch': { options: { occurrenceThreshold: 0 } } },
    ...(rules && { runOnly: rules }),
  }
  // The document keeps the script, which is half a megabyte. The policy of the page does not apply to what a debugger evaluates.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${source}; undefined`)
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Violation[]
  }
  return violations
}
