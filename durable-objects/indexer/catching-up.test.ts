import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { IndexerStepper } from './step.ts'
import { MemoryStore, ScriptedChain, stepperOf } from './testing/scripted-chain.ts'

describe('an index that is far behind', () => {
  let chain: ScriptedChain
  let store: MemoryStore
  let stepper: IndexerStepper
  beforeEach(() => {
    chain = new ScriptedChain()
    store = new MemoryStore()
    stepper = stepperOf(chain, store)
  })
  const outcome = async () => (await stepper.step()).outcome

  const blocks = 20_000
  const longChain = new ScriptedChain()
  /** Every 400th block has a log. */
  beforeAll(() => longChain.mine(...Array.from({ length: blocks }, (_, index) => Number(index % 400 === 0))))
  const takeLongChain = () => {
    chain.blocks = [...longChain.blocks]
    chain.logsOfHash = new Map(longChain.logsOfHash)
    chain.finalNumber = blocks - 64
  }
  const catchUp = async () => {
    let outcomes = 0
    for (; store.tip?.number !== blocks && outcomes < 100; outcomes++) await outcome()
    return outcomes
  }

  test('reads a million blocks with at most 20,000 calls', async () => {
    takeLongChain()
    await catchUp()
    expect(store.logs).toEqual(chain.allLogs())
    // The cost of the blocks near the head does not grow with the chain.
    const { calls } = chain
    const near = 128 + 100 + 100
    expect((calls - near) / blocks).toBeLessThan(20_000 / 1_000_000)
    console.info(`${calls} calls for ${blocks} blocks`)
  })

  test('asks for smaller ranges if the node refuses large ones', async () => {
    takeLongChain()
    chain.refusesAbove = 500
    const asked = chain.rangesAsked()
    await catchUp()
    expect(store.logs).toEqual(chain.allLogs())
    expect(asked.filter((size) => size > 500).length).toBeLessThan(5)
  })

  test('rejects a range if the node answers with different logs the second time', async () => {
    takeLongChain()
    chain.tornLogs = []
    expect(await outcome()).toBe('suspect')
    expect(store.tip).toMatchObject({ number: 0, logDifferences: 1 })
    await catchUp()
    expect(store.logs).toEqual(chain.allLogs())
  })

  test('halts if a block that it considers final disappears while a range is read', async () => {
    const empty = Array.from({ length: 5_000 }, () => 0)
    chain.mine(...empty)
    chain.finalNumber = 5_000
    expect(await outcome()).toBe('advanced')
    const { tip } = store
    chain.afterLogs = () => chain.reorganise(5_000, ...empty)
    expect([await outcome(), await outcome()]).toEqual(['suspect', 'halted'])
    expect(store.tip).toEqual(tip)
  })

  test('writes a range with very many logs in parts', async () => {
    chain.mine(...Array.from({ length: 400 }, () => 20))
    chain.finalNumber = 400
    await outcome()
    expect([store.tip?.number, store.logs.length]).toEqual([75, 1_500])
    for (let steps = 0; steps < 20 && (await outcome()) !== 'idle'; steps++);
    expect(store.logs).toEqual(chain.allLogs())
  })
})
