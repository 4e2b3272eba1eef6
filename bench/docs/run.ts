/** Holds the documentation of a hub against its budgets: `npm run -s bench -- docs [runs of each page]`. */
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
const hub = await startTestHub()
try {
  const judged = []
  for (const page of pages) judged.push({ page, ...(await judgePage(page, hub.origin + page, runs)) })
  console.log(table(lighthouseHead, [lighthouseGoals, ...judged.map(({ row }) => row)]))
  for (const { page, failed } of judged) if (failed.length > 0) console.log(`${page}: ${failed.join('; ')}`)
} finally {
  await hub.stop()
}
