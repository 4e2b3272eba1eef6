import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { keptNodectl } from '../../node-cli/kept-build.ts'
import { Difference } from '../harness/difference.ts'
import { addFigures, type Figures } from '../harness/figures.ts'
import type { ScenarioKind } from '../harness/kind.ts'
import { KilledNode } from './killed-node.ts'

export const node: ScenarioKind = {
  atOnce: 1,
  // A ledger that is read after each kill must not get long.
  perNetwork: 25,
  networksAtOnce: 1,
  async start({ seeds, say }) {
    const folder = mkdtempSync(path.join(tmpdir(), 'node-chaos-'))
    const killed = new KilledNode(await keptNodectl(), path.join(folder, 'node'))
    let found: Figures = {}
    const figures = () => addFigures(found, killed.given)
    return {
      async runTurn([seed]) {
        const { whileStarting, answered, unanswered, votesFound, problems } = await killed.point(seed!)
        if (problems.length > 0) throw new Difference(problems.join('; '))
        found = addFigures(found, {
          killed_while_starting: Number(whileStarting),
          answered,
          unanswered,
          votes_stored_and_never_answered: votesFound,
        })
        return figures()
      },
      async finish() {
        say(`points ${seeds[0]} to ${seeds.at(-1)}: every promise is kept`)
        return figures()
      },
      async stop() {
        await killed.stop()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}
