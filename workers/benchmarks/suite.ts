import pinned from './suite.json' with { type: 'json' }

export interface BenchmarkCase {
  name: string
  module_address: string
  function: string
  input: string
  gas_limit: number
  receipt_hash: string
}

/** The suite of this hub; `scripts/benchmark-suite.ts` writes it. */
export const suite: string = pinned.suite
export const cases: readonly BenchmarkCase[] = pinned.cases

/** The names of pinned cases for which a report gives another receipt. Cases that are not reported or not pinned are ignored. */
export function differingCases(reported: readonly Pick<BenchmarkCase, 'name' | 'receipt_hash'>[]): string[] {
  const receipts = new Map(cases.map(({ name, receipt_hash }) => [name, receipt_hash]))
  return reported
    .filter(({ name, receipt_hash }) => receipts.has(name) && receipts.get(name) !== receipt_hash)
    .map(({ name }) => name)
}
