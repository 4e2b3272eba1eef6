import { describe, expect, test } from 'vitest'
import { creditNodes } from './node-credits.ts'

const entry = (subscription_id: string, payout_address: string) => ({ subscription_id, payout_address })
const roundsOf = (units: number, nodes: number) =>
  creditNodes(
    [{ miner: 'a', units }],
    Array.from({ length: nodes }, (_, i) => entry(`${i}`, 'a')),
  ).map(({ rounds }) => rounds)

describe('creditNodes', () => {
  test('a node has what its address was credited', () => {
    const units = [
      { miner: 'a', units: 3 },
      { miner: 'b', units: 5 },
    ]
    expect(creditNodes(units, [entry('two', 'b'), entry('one', 'a'), entry('idle', 'c')])).toEqual([
      { subscriptionId: 'one', rounds: 3 },
      { subscriptionId: 'two', rounds: 5 },
    ])
  })

  test.each([
    [6, 3, [2, 2, 2]],
    [7, 3, [3, 2, 2]],
    [2, 3, [1, 1, 0]],
  ])('%i units of %i nodes that are paid to one address are %j', (units, nodes, rounds) => {
    expect(roundsOf(units, nodes)).toEqual(rounds)
  })

  test('nothing is lost and nothing is made up', () => {
    for (let units = 1; units < 40; units++)
      for (let nodes = 1; nodes < 9; nodes++)
        expect(roundsOf(units, nodes).reduce((sum, rounds) => sum + rounds, 0)).toBe(units)
  })

  test('an address without a node in the set credits none', () => {
    expect(creditNodes([{ miner: 'a', units: 3 }], [])).toEqual([])
  })
})
