import { Difference } from './difference.ts'
import { addFigures, type Figures } from './figures.ts'
import type { NetworkOptions, ScenarioKind } from './kind.ts'

export interface NetworkResult {
  readonly scenarios: number
  readonly figures: Figures
}

export interface NetworkRun extends NetworkOptions {
  readonly onTurn?: (result: NetworkResult) => void
}

/** Runs the scenarios of one network to their end. @throws {@link Difference} */
export async function runNetwork(
  { atOnce, start }: Pick<ScenarioKind, 'atOnce' | 'start'>,
  { seeds, say, onTurn }: NetworkRun,
): Promise<NetworkResult> {
  const network = await start({ seeds, say })
  try {
    for (let first = 0; first < seeds.length; first += atOnce) {
      const turn = seeds.slice(first, first + atOnce)
      const figures = await network.runTurn(turn, first / atOnce).catch((error: unknown) => {
        if (!(error instanceof Difference)) throw error
        const named = turn.length === 1 ? `Seed ${turn[0]}` : `Seeds ${turn[0]} to ${turn.at(-1)}`
        throw new Difference(`${named}: ${error.message}`)
      })
      onTurn?.({ scenarios: first + turn.length, figures })
    }
    return { scenarios: seeds.length, figures: await network.finish() }
  } finally {
    await network.stop()
  }
}

/** The scenarios of one network: those of `length` seeds, from `first` on. */
export interface NetworkTask {
  readonly kind: string
  readonly first: number
  readonly length: number
}

/** A report of the process of a network: its progress, its result so far, or the first difference. */
export type NetworkMessage =
  | { readonly text: string }
  | { readonly result: NetworkResult }
  | { readonly difference: string }

export interface ScenarioRun {
  readonly kind: string
  readonly scenarios: number
  readonly firstSeed: number
  readonly say: (text: string) => void
  readonly onResult: (result: NetworkResult) => void
  readonly runInProcess: (task: NetworkTask, onMessage: (message: NetworkMessage) => void) => Promise<void>
}

/** Spreads scenarios over networks, a few of them at a time. @throws {@link Difference} */
export async function runScenarios(
  { perNetwork, networksAtOnce }: Pick<ScenarioKind, 'perNetwork' | 'networksAtOnce'>,
  { kind, scenarios, firstSeed, say, onResult, runInProcess }: ScenarioRun,
): Promise<NetworkResult> {
  let ended: NetworkResult = { scenarios: 0, figures: {} }
  /** Results of the networks that still run, by their first seed. */
  const results = new Map<number, NetworkResult>()
  const sum = () => [...results.values()].reduce(addResults, ended)
  const firsts = Array.from(
    { length: Math.ceil(scenarios / perNetwork) },
    (_, network) => firstSeed + network * perNetwork,
  )
  const next = firsts.values()
  const runOneByOne = async () => {
    for (const first of next) {
      const length = Math.min(perNetwork, firstSeed + scenarios - first)
      let difference: string | null = null
      await runInProcess({ kind, first, length }, (message) => {
        if ('text' in message) return say(message.text)
        if ('difference' in message) {
          difference = message.difference
          return
        }
        results.set(first, message.result)
        onResult(sum())
      })
      if (difference !== null) throw new Difference(difference)
      ended = addResults(ended, results.get(first)!)
      results.delete(first)
    }
  }
  await Promise.all(Array.from({ length: Math.min(networksAtOnce, firsts.length) }, runOneByOne))
  return sum()
}

const addResults = (one: NetworkResult, other: NetworkResult): NetworkResult => ({
  scenarios: one.scenarios + other.scenarios,
  figures: addFigures(one.figures, other.figures),
})
