/** Compares the documentation of a hub with its budgets: `npm run -s bench -- docs [runs of each page]`. */
import { siteFiles } from '../../scripts/site/build.ts'
import { home, referenceHome } from '../../scripts/site/page.ts'
import { startTestHub } from '../../testing/hub.ts'
import { judgePage, lighthouseGoals, lighthouseHead } from '../lighthouse.ts'
import { readCounts, table } from '../result.ts'

const { runs } = readCounts('docs', { runs: 3 })
const pages = [
  home,
  `${home}/quickstart`,
  `${home}/console`,
  referenceHome,
  `${home}/operations/submitTask`,
] as const
const startedMs = performance.now()
siteFiles()
console.log(`Building the site took ${((performance.now() - startedMs) / 1_000).toFixed(1)} s.\n`)
const hub = await startTestHub({}, { files: true })
try {
  console.log(table(lighthouseHead, [lighthouseGoals]))
  for (const page of pages) {
    const { row, failed } = await judgePage(page, hub.origin + page, runs)
    console.log(row)
    for (const title of failed) console.error(`${page}: ${title}`)
  }
} finally {
  await hub.stop()
}
