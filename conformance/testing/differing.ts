import { type Finding, numbersOf } from '../findings.ts'

interface Named {
  readonly name: string
  readonly breaks: readonly string[]
}

/** Whether a run takes a fault: a quarter of them, or those that `CONFORMANCE_FAULTS` names. */
export const isChosen = ({ name }: Named, i: number): boolean => {
  const wanted = process.env.CONFORMANCE_FAULTS
  return wanted === undefined ? i % 4 === 1 : wanted === 'all' || new RegExp(wanted).test(name)
}

/** Runs faults one after the other. @returns Those that broke other clauses than the table says. */
export async function differing<Fault extends Named>(
  run: (fault: Fault) => Promise<readonly Finding[]>,
  faults: readonly Fault[],
) {
  const wrong: unknown[] = []
  for (const fault of faults) {
    const found = await run(fault)
    if (numbersOf(found, 'broken').join() !== fault.breaks.join())
      wrong.push({ name: fault.name, breaks: fault.breaks, broken: brokenBy(found) })
  }
  return wrong
}

const brokenBy = (found: readonly Finding[]) =>
  found.flatMap(({ clause, state, problems }) => (state === 'broken' ? [[clause.number, problems]] : []))
