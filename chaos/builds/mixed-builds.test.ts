import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import { LocalNode } from '../../localnet/nodes/local-node.ts'
import { hasAnvil } from '../../testing/anvil.ts'
import { LocalNodeHere } from '../../testing/node/local-node-here.ts'
import { followTask, giveTask, isHonest } from '../network/echo-tasks.ts'
import { readSlashes } from '../network/explorer.ts'
import { type NodeNetwork, passIntoWork, startNodeNetwork } from '../network/node-network.ts'
import { unpackEarlierBuild } from './earlier-build.ts'

// A whole network begins and ends here, in the time the machine has for it.
describe.skipIf(!hasAnvil)('a network with nodes of an earlier build', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mixed-builds-'))
  const builds = { own: '', earlier: path.join(folder, 'earlier') }
  /** Links to the two builds that nodes run in turn. */
  const [odd, even] = [path.join(folder, 'odd'), path.join(folder, 'even')]
  const problems: string[] = []
  let network: NodeNetwork

  const run = (program: string, build: keyof typeof builds) => {
    if (existsSync(program)) rmSync(program)
    symlinkSync(builds[build], `${program}.next`)
    renameSync(`${program}.next`, program)
  }
  const restart = async (node: LocalNode) => {
    await node.stop()
    await node.start()
    await node.waitUntilKnown()
  }

  beforeAll(async () => {
    builds.own = await builtNodectl()
    unpackEarlierBuild(builds.earlier)
    run(odd, 'own')
    run(even, 'earlier')
    network = await startNodeNetwork({
      ...{ folder: path.join(folder, 'network'), miners: 3 },
      programs: [{ dist: odd }, { dist: even }],
      // The third nodes run the sources of `own` all the time.
      nodeOf: (plan, surroundings) =>
        plan.name.endsWith('-3') ? new LocalNodeHere(plan, surroundings) : new LocalNode(plan, surroundings),
      problem: (text) => problems.push(text),
    })
    await passIntoWork(network)
  })
  afterAll(async () => {
    await network?.stop()
    rmSync(folder, { recursive: true })
  })

  test('attests its sets, loses no task and slashes no node while nodes are upgraded and downgraded', async () => {
    const give = (name: string) =>
      Promise.all(
        [1, 2, 3].map((i) => giveTask(network, `${name} ${i}`, JSON.stringify({ task: i, text: name }))),
      )
    const given = await give('mixed')
    // While those rounds are open: the second nodes are upgraded, then the first ones go back.
    for (const [program, build, index] of [
      [even, 'own', 1],
      [odd, 'earlier', 0],
    ] as const) {
      run(program, build)
      for (const nodes of [network.validators, network.miners]) await restart(nodes[index]!.node)
      given.push(...(await give(build)))
    }
    await Promise.all(given.map((task) => followTask(network, task, 200_000)))
    expect(given.filter((task) => !isHonest(task)).map(({ task }) => task)).toEqual([])
    expect(await readSlashes(network)).toEqual([])
    expect(problems).toEqual([])
  })
})
