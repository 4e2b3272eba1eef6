import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveProfile } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { folderWithKey } from '../testing/node/folders.ts'
import { startNodeProcess } from '../testing/node/node-process.ts'
import { dist } from '../testing/node/nodectl.ts'
import { pickPort } from '../testing/node/validator-network.ts'
import { validatorClauses } from './clauses.ts'
import { Findings, numbersOf } from './findings.ts'
import { ScriptedHub } from './node/hub.ts'
import { usualPatience } from './node/index.ts'
import { differing, isChosen } from './testing/differing.ts'
import { startValidatorProxy, type ValidatorFault } from './testing/validator-fault.ts'
import { validatorFaults } from './testing/validator-faults.ts'
import { answersFor } from './validator/index.ts'
import { ValidatorScript } from './validator/script.ts'

const profile = resolveProfile()
const noFault: ValidatorFault = { name: 'none', breaks: [] }
const answerMs = 60_000

/** Our validator, and a proxy between the kit and it. */
async function createStage() {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const dataDir = folderWithKey(seed)
  const nodeKey = ed25519PublicKey(seed)
  const own = `127.0.0.1:${await pickPort()}`
  const proxy = await startValidatorProxy(`http://${own}`, { profile, seed })
  const hub = await ScriptedHub.start(
    { profile, nodeKey, patience: usualPatience, hasLinks: false },
    new Findings(validatorClauses),
  )
  hub.publish(answersFor(profile, nodeKey))
  let kill = async (): Promise<void> => {}
  const start = async () => {
    const settings = ['--role', 'validator', '--node-url', `http://${own}`]
    const flags = [...settings, '--hub-url', hub.origin, '--workers', '1', '--log-format', 'json']
    const started = startNodeProcess(dist, dataDir, { bind: own, flags })
    kill = started.kill
    await started.serving
  }
  onTestFinished(async () => {
    await kill()
    await hub.stop()
    await proxy.stop()
  })
  await start()
  const node = {
    kill: () => kill(),
    start: async () => {
      proxy.restarted()
      await start()
    },
  }
  /** Runs the script with a fault. @returns What was seen of each clause. */
  return async (fault: ValidatorFault) => {
    proxy.use(fault)
    const findings = new Findings(validatorClauses)
    const script = new ValidatorScript({ hub, profile, nodeKey, url: proxy.url, findings })
    await (fault.restarts === true ? script.playRestarts(node, answerMs) : script.play(answerMs))
    return findings.all()
  }
}

describe('a validator', () => {
  test('of this project keeps every clause, and the test checks each clause', async () => {
    const run = await createStage()
    const played = await run(noFault)
    const restarted = await run({ ...noFault, restarts: true })
    expect([...numbersOf(played, 'broken'), ...numbersOf(restarted, 'broken')]).toEqual([])
    const seen = new Set([...numbersOf(played, 'kept'), ...numbersOf(restarted, 'kept')])
    expect(validatorClauses.filter(({ number }) => !seen.has(number))).toEqual([])
  })

  // The usual run takes a quarter of the faults, and those that only a validator shows that was started again.
  const isUsual = process.env.CONFORMANCE_FAULTS === undefined
  const chosen = validatorFaults.filter(
    (fault, i) => (isUsual && fault.restarts === true) || isChosen(fault, i),
  )
  test(`with one of ${chosen.length} faults breaks exactly the clauses that the table says`, async () => {
    const run = await createStage()
    expect(await differing(run, chosen)).toEqual([])
  })

  test('every clause about validators is broken by a fault', () => {
    const broken = new Set(validatorFaults.flatMap(({ breaks }) => breaks))
    const unbroken = validatorClauses.filter(({ number }) => number.startsWith('V') && !broken.has(number))
    expect(unbroken).toEqual([])
  })
})
